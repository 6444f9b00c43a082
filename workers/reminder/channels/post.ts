import http from "node:http";
import https from "node:https";
import { readReceiver } from "../../../shared/domain/outside-address.ts";
import { guardedLookup } from "../../../shared/process/guarded-lookup.ts";
import { type ChannelResult, type ReceiverAnswer, sendFailed } from "./channel.ts";

type Options = Readonly<{
  /** Begins sentences for the user, for example `The webhook`. */
  receiver: string;
  /** True if a receiver that a user chose may be on this machine; unset if the operator chose it. */
  allowLoopback?: boolean;
  /** Certificates to trust, in tests. */
  ca?: string | undefined;
}>;

type Posted = ReceiverAnswer | Extract<ChannelResult, { ok: false }>;

const timeoutMs = 10_000;
const maxAnswerBytes = 64 * 1024;
const maxConnectionsPerHost = 128;

/** Posts over reused connections, each opened to a checked address. It follows no redirects and waits 10 s. */
export function openPoster({ receiver, allowLoopback, ca }: Options) {
  const lookup = allowLoopback === undefined ? undefined : guardedLookup(allowLoopback);
  const settings = { keepAlive: true, maxSockets: maxConnectionsPerHost };
  const agents = { http: new http.Agent(settings), https: new https.Agent(settings) };
  return {
    async post(address: string, headers: Record<string, string>, body: string | Buffer): Promise<Posted> {
      // A numeric address is never resolved, so it is checked here. Names are checked when they are resolved.
      const url = allowLoopback === undefined ? new URL(address) : readReceiver(address, allowLoopback);
      if (!url) return sendFailed(unreachable(receiver), true);
      const secure = url.protocol === "https:";
      const { promise, resolve } = Promise.withResolvers<Posted>();
      const options = {
        method: "POST",
        headers: { ...headers, "content-length": Buffer.byteLength(body) },
        agent: secure ? agents.https : agents.http,
        signal: AbortSignal.timeout(timeoutMs),
        ...(lookup && { lookup }),
        ...(ca && { ca }),
      };
      const request = (secure ? https : http).request(url, options, (answer) => {
        const retryAfterMs = retryAfterOf(answer.headers["retry-after"]);
        resolve({ status: answer.statusCode ?? 0, retryAfterMs });
        drain(answer);
      });
      request.on("error", (error) => resolve(sendFailed(reasonOf(error, receiver))));
      request.end(body);
      return promise;
    },
    close(): void {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** All unreachable addresses get the same sentence, which reveals no names of the service's own network. */
const unreachable = (receiver: string): string => `${receiver}'s address leads to no public server.`;

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** True for a status that may change at the next attempt: the server is busy, or has a fault. */
export const mayPass = (status: number): boolean => status >= 500 || [408, 425, 429].includes(status);

/** The messages of libraries contain addresses and system calls, which users must not see. */
function reasonOf({ name, code = "" }: NodeJS.ErrnoException, receiver: string): string {
  if (name === "AbortError") return `No answer within ${timeoutMs / 1_000} s.`;
  if (code === "ECONNREFUSED") return `${receiver}'s server refused the connection.`;
  if (code === "ECONNRESET" || code === "EPIPE") return `${receiver}'s server broke off the connection.`;
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER/.test(code)) return `${receiver}'s certificate is not a valid one.`;
  return unreachable(receiver);
}

const longestRetryAfterMs = 24 * 3_600_000;

/** Reads seconds or a date (RFC 9110 §10.2.3). */
function retryAfterOf(header: string | undefined): number {
  if (header === undefined) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Math.min(Math.max(ms || 0, 0), longestRetryAfterMs);
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
