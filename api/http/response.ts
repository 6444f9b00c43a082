import { STATUS_CODES } from "node:http";
import { type Refusal, type RefusalCode, refuse } from "../../shared/errors.ts";
import { pathOf } from "./request.ts";

/** The one place that gives a refusal its HTTP status. */
const statuses: Record<RefusalCode, number> = {
  unauthenticated: 401,
  insufficient_scope: 403,
  quota: 403,
  token_limit: 403,
  waiting: 202,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  malformed_request: 400,
  malformed_body: 400,
  invalid: 422,
  failed_dependency: 424,
  rate_limited: 429,
  internal: 500,
  overloaded: 503,
};

export const fault = refuse("internal", "This request failed because of a fault of the service.");

/** The refusal of an address that does not exist. */
export const nothingHere = refuse("not_found", "There is nothing at this address.");

export const refusalCodes: readonly string[] = Object.keys(statuses);

export const statusOf = (code: RefusalCode): number => statuses[code];

export function refusalResponse(refusal: Refusal, headers: Headers = new Headers()): Response {
  const { code, retryAfterSeconds } = refusal;
  if (retryAfterSeconds !== undefined) headers.set("retry-after", String(retryAfterSeconds));
  return jsonResponse(JSON.stringify(refusalBody(refusal)), statuses[code], headers);
}

/** A 422 has the messages by field instead of a code, and what waits is no error. Every other refusal names its code. */
export function refusalBody({ code, message, errors, applied, approval }: Refusal): object {
  if (approval) return { ...approval, message };
  return code === "invalid" ? { message, errors } : { message, code, ...(applied && { applied }) };
}

export function jsonResponse(body: string, status: number, headers: Headers): Response {
  headers.set("content-type", "application/json; charset=utf-8");
  return new Response(bodyOf(body), { status, headers });
}

/** A shorter text, with its headers, fits into Bun's buffer of 16 KiB in any encoding. */
const long = 8_000;

/**
 * Returns the body of a response that is made after an `await`. Bun sends a body beyond its buffer in pieces, with
 * a system call for each part of each header (oven-sh/bun#41341): 200 µs instead of 25. A stream leaves at once.
 */
export function bodyOf(text: string): string | ReadableStream {
  if (text.length < long) return text;
  return new ReadableStream({
    type: "direct",
    pull(controller) {
      controller.write(text);
      controller.end();
    },
  });
}

/**
 * Headers of public documents about the service, which change only with its version and its settings. A cache may keep
 * them for scripts of any site.
 */
export const cacheable = { "cache-control": "public, max-age=300", "access-control-allow-origin": "*" };

/**
 * Sets the headers that every answer of the front door has: no browser guesses a type, no cache keeps what was not
 * declared public, and browsers that have used https do not go back to http.
 */
export function createFinish(baseUrl: string): (response: Response) => Response {
  const secure = baseUrl.startsWith("https:");
  return (response) => {
    const { headers } = response;
    headers.set("x-content-type-options", "nosniff");
    if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
    if (secure) headers.set("strict-transport-security", "max-age=31536000");
    return response;
  };
}

const problemJson = "application/problem+json";

export const problemBody = (status: number, { message, ...members }: Readonly<{ message?: unknown }>) => ({
  type: "about:blank",
  title: STATUS_CODES[status],
  status,
  detail: message,
  ...members,
});

/** Gives a refusal of REST the form of RFC 9457, if the client accepts that. Pages and MCP have forms of their own. */
export async function inFormAccepted({ url, headers }: Request, response: Response): Promise<Response> {
  if (!headers.get("accept")?.includes(problemJson) || !pathOf(url).startsWith("/api/")) return response;
  const { status } = response;
  const refusal: Parameters<typeof problemBody>[1] = JSON.parse(await response.text());
  const answer = jsonResponse(JSON.stringify(problemBody(status, refusal)), status, response.headers);
  answer.headers.set("content-type", problemJson);
  return answer;
}

/** Texts for people, and public documents. Fonts and pictures are packed already, and agents read short lists often. */
const isForPeople = ({ headers }: Response): boolean =>
  /^(text\/(html|css|javascript)|image\/svg|\S+json.* public,)/.test(
    `${headers.get("content-type")} ${headers.get("cache-control")}`,
  );

/** The better coding first: zstd takes a tenth of the time. */
const codings = { zstd: Bun.zstdCompress, gzip: Bun.gzipSync } as const;
type Coding = keyof typeof codings;

/** RFC 9110 §12.5.3: a quality of 0 refuses. */
const takes = (accepted: string, coding: Coding): boolean =>
  new RegExp(`\\b${coding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`, "i").test(accepted);

/**
 * Compresses an answer for people, if their browser takes that. The size of a compressed page tells of secrets beside
 * reflected text, so a secret differs in each answer, as form tokens do.
 */
export async function compressed({ headers }: Request, response: Response): Promise<Response> {
  if (!response.body || !isForPeople(response)) return response;
  response.headers.append("vary", "accept-encoding");
  const accepted = headers.get("accept-encoding") ?? "";
  const coding = (["zstd", "gzip"] as const).find((one) => takes(accepted, one));
  if (!coding) return response;
  response.headers.set("content-encoding", coding);
  response.headers.delete("content-length");
  return new Response(await codings[coding](await response.arrayBuffer()), response);
}
