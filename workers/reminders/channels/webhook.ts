import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { Webhook } from "standardwebhooks";
import { timestamp } from "../../../shared/db/present.ts";
import { mayBePublic } from "../../../shared/domain/public-address.ts";
import type { Config } from "../../../shared/process/config.ts";
import type { Delivery } from "../lease.ts";
import { type Channel, contentOf, failed, type Sent } from "./channel.ts";
import { guardedLookup, refusal } from "./guarded-lookup.ts";

type Options = Pick<Config, "webhookAllowLoopback" | "defaultTimeZone">;

const timeoutMs = 10_000;
const maxAnswerBytes = 64 * 1024;
const maxConnectionsPerHost = 128;

/**
 * Posts a signed event to the user's address (Standard Webhooks: `webhook-id` is the delivery's id). Only
 * to public addresses, without redirects, within 10 s; any 2xx is success.
 */
export function createWebhookChannel({ webhookAllowLoopback, defaultTimeZone }: Options): Channel {
  const way = openWay(webhookAllowLoopback);
  return {
    async send(delivery) {
      const { webhook_url, webhook_secret, webhook_disabled_at, todo, id } = delivery;
      if (webhook_url === null || webhook_secret === null) return failed("No webhook address is set.", true);
      if (webhook_disabled_at !== null && todo !== null)
        return failed("The webhook was switched off after failing for a day.", true);
      const url = new URL(webhook_url);
      if (!isAllowedUrl(url, webhookAllowLoopback)) return failed(refusal, true);
      const body = JSON.stringify(eventOf(delivery, defaultTimeZone));
      const at = new Date(timestamp(delivery.begun_at));
      return post(way, url, signedHeaders(id, webhook_secret, at, body), body);
    },
    close() {
      way.http.destroy();
      way.https.destroy();
    },
  };
}

/** Kept connections, each opened to an address that was checked. */
type Way = Readonly<{ http: http.Agent; https: https.Agent; lookup: LookupFunction }>;

function openWay(allowLoopback: boolean): Way {
  const settings = { keepAlive: true, maxSockets: maxConnectionsPerHost };
  const lookup = guardedLookup(allowLoopback);
  return { http: new http.Agent(settings), https: new https.Agent(settings), lookup };
}

function post(way: Way, url: URL, headers: Record<string, string>, body: string): Promise<Sent> {
  const secure = url.protocol === "https:";
  const { promise, resolve } = Promise.withResolvers<Sent>();
  const options = {
    method: "POST",
    headers: { ...headers, "content-length": Buffer.byteLength(body) },
    agent: secure ? way.https : way.http,
    lookup: way.lookup,
    signal: AbortSignal.timeout(timeoutMs),
  };
  const request = (secure ? https : http).request(url, options, (answer) => {
    resolve(outcomeOf(answer.statusCode ?? 0));
    drain(answer);
  });
  request.on("error", (error) => resolve(failed(reasonOf(error))));
  request.end(body);
  return promise;
}

const tooSlow = `No answer within ${timeoutMs / 1_000} s.`;

/** In words of ours: a library's name addresses and calls of the system. */
function reasonOf({ name, code = "" }: NodeJS.ErrnoException): string {
  if (name === "AbortError") return tooSlow;
  if (code === "ECONNREFUSED") return "The webhook's server refused the connection.";
  if (code === "ECONNRESET" || code === "EPIPE") return "The webhook's server broke off the connection.";
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER/.test(code)) return "The webhook's certificate is not a valid one.";
  return refusal;
}

function eventOf(delivery: Delivery, defaultTimeZone: string) {
  const data = contentOf(delivery, defaultTimeZone);
  return { type: data.todo === null ? "webhook.test" : "reminder.due", timestamp: data.remind_at, data };
}

/** The receiver compares the signature's time with its own clock, so this is always the present. */
function signedHeaders(id: string, secret: string, at: Date, body: string): Record<string, string> {
  return {
    "content-type": "application/json",
    "user-agent": "Kept-Webhooks",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign(id, at, body),
  };
}

/** An address in figures never reaches the look-up, so it is checked here; names are checked when they resolve. */
function isAllowedUrl({ protocol, hostname }: URL, allowLoopback: boolean): boolean {
  return (protocol === "https:" || allowLoopback) && mayBePublic(hostname, allowLoopback);
}

function outcomeOf(status: number): Sent {
  if (status >= 200 && status < 300) return { ok: true };
  const hint = status >= 300 && status < 400 ? "; redirects are not followed" : "";
  return failed(`The webhook answered ${status}${hint}.`);
}

/** Reads the rest, so that the connection can be used again; an endless answer ends it. */
function drain(answer: http.IncomingMessage): void {
  let bytes = 0;
  answer.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) answer.destroy();
  });
  answer.on("error", () => {});
}
