import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { Webhook } from "standardwebhooks";
import { timestamp } from "../../../shared/domain/day/timestamp.ts";
import { mayBePublic } from "../../../shared/domain/public-address.ts";
import type { Config } from "../../../shared/process/config.ts";
import type { LeasedDelivery } from "../lease.ts";
import { type Channel, type ChannelResult, contentOf, sendFailed } from "./channel.ts";
import { guardedLookup, unreachable } from "./guarded-lookup.ts";

type Options = Pick<Config, "webhookAllowLoopback" | "defaultTimeZone">;

const timeoutMs = 10_000;
const maxAnswerBytes = 64 * 1024;
const maxConnectionsPerHost = 128;

/**
 * Posts a signed event to the user's address (Standard Webhooks); `webhook-id` is the delivery's id. It connects to
 * public addresses only, follows no redirects and waits 10 s. Any 2xx is success.
 */
export function createWebhookChannel({ webhookAllowLoopback, defaultTimeZone }: Options): Channel {
  const agents = createAgents(webhookAllowLoopback);
  return {
    async send(delivery) {
      const { webhook_url, webhook_secret, webhook_disabled_at, todo, id } = delivery;
      if (webhook_url === null || webhook_secret === null)
        return sendFailed("No webhook address is set.", true);
      if (webhook_disabled_at !== null && todo !== null)
        return sendFailed("The webhook was switched off after failing for a day.", true);
      const url = new URL(webhook_url);
      if (!isAllowedUrl(url, webhookAllowLoopback)) return sendFailed(unreachable, true);
      const body = JSON.stringify(eventOf(delivery, defaultTimeZone));
      const at = new Date(timestamp(delivery.begun_at));
      return post(agents, url, signedHeaders(id, webhook_secret, at, body), body);
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** Reused connections, each opened to a checked address. */
type Agents = Readonly<{ http: http.Agent; https: https.Agent; lookup: LookupFunction }>;

function createAgents(allowLoopback: boolean): Agents {
  const settings = { keepAlive: true, maxSockets: maxConnectionsPerHost };
  const lookup = guardedLookup(allowLoopback);
  return { http: new http.Agent(settings), https: new https.Agent(settings), lookup };
}

function post(
  agents: Agents,
  url: URL,
  headers: Record<string, string>,
  body: string,
): Promise<ChannelResult> {
  const secure = url.protocol === "https:";
  const { promise, resolve } = Promise.withResolvers<ChannelResult>();
  const options = {
    method: "POST",
    headers: { ...headers, "content-length": Buffer.byteLength(body) },
    agent: secure ? agents.https : agents.http,
    lookup: agents.lookup,
    signal: AbortSignal.timeout(timeoutMs),
  };
  const request = (secure ? https : http).request(url, options, (answer) => {
    resolve(resultOf(answer.statusCode ?? 0));
    drain(answer);
  });
  request.on("error", (error) => resolve(sendFailed(reasonOf(error))));
  request.end(body);
  return promise;
}

const tooSlow = `No answer within ${timeoutMs / 1_000} s.`;

/** The messages of libraries contain addresses and system calls, which users must not see. */
function reasonOf({ name, code = "" }: NodeJS.ErrnoException): string {
  if (name === "AbortError") return tooSlow;
  if (code === "ECONNREFUSED") return "The webhook's server refused the connection.";
  if (code === "ECONNRESET" || code === "EPIPE") return "The webhook's server broke off the connection.";
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER/.test(code)) return "The webhook's certificate is not a valid one.";
  return unreachable;
}

function eventOf(delivery: LeasedDelivery, defaultTimeZone: string) {
  const data = contentOf(delivery, defaultTimeZone);
  return { type: data.todo === null ? "webhook.test" : "reminder.due", timestamp: data.remind_at, data };
}

/** The receiver compares the signature's time with its own clock, so each attempt is signed anew. */
function signedHeaders(id: string, secret: string, at: Date, body: string): Record<string, string> {
  return {
    "content-type": "application/json",
    "user-agent": "Kept-Webhooks",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign(id, at, body),
  };
}

/** A numeric address is never resolved, so it is checked here. Names are checked when they are resolved. */
function isAllowedUrl({ protocol, hostname }: URL, allowLoopback: boolean): boolean {
  return (protocol === "https:" || allowLoopback) && mayBePublic(hostname, allowLoopback);
}

function resultOf(status: number): ChannelResult {
  if (status >= 200 && status < 300) return { ok: true };
  const hint = status >= 300 && status < 400 ? "; redirects are not followed" : "";
  return sendFailed(`The webhook answered ${status}${hint}.`);
}

/** Reads the rest, so that the connection can be reused. An endless answer closes it. */
function drain(answer: http.IncomingMessage): void {
  let bytes = 0;
  answer.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) answer.destroy();
  });
  answer.on("error", () => {});
}
