import type { Answer } from "./shape.ts";

const text = { type: "string" };
const wholeNumber = { type: "integer", minimum: 0 };

/** Every header of answers beyond HTTP's own, as components of the document. */
export const headers = {
  "X-Request-Id": {
    description:
      "The id of the request in the service's logs and on the page Actions. One that is sent is noted in the logs beside it.",
    schema: { type: "string", format: "uuid" },
    example: "019a6f2e-5b1c-7c3a-9f1e-2d6a4b8c0e11",
  },
  "RateLimit-Policy": {
    description: "The quota and its window in seconds. Absent where the limit is turned off.",
    schema: text,
    example: '"default";q=60;w=60',
  },
  RateLimit: {
    description: "The requests that remain, and the seconds until the window ends",
    schema: text,
    example: '"default";r=59;t=60',
  },
  "X-RateLimit-Limit": { description: "Requests per window", schema: wholeNumber, example: 60 },
  "X-RateLimit-Remaining": {
    description: "Requests that remain in the window",
    schema: wholeNumber,
    example: 59,
  },
  "X-RateLimit-Reset": {
    description: "When the window ends, in epoch seconds",
    schema: wholeNumber,
    example: 1795163460,
  },
  "Retry-After": {
    description: "Seconds to wait before the next try",
    schema: wholeNumber,
    example: 1,
  },
  "WWW-Authenticate": {
    description: "How to get a token that is accepted (RFC 9728, RFC 6750)",
    schema: text,
    example:
      'Bearer realm="kept", resource_metadata="http://localhost:3000/.well-known/oauth-protected-resource"',
  },
  "Idempotent-Replayed": {
    description: "Present when the idempotency key was used before and this is the stored answer",
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
  ETag: {
    description: "The strong entity tag of what is shown, for If-None-Match and If-Match",
    schema: text,
    example: '"3w5e11264sgsf"',
  },
  Location: {
    description: "The address of what was created",
    schema: { type: "string", format: "uri" },
    example: "http://localhost:3000/api/v1/todos/32",
  },
} as const;

export type HeaderName = keyof typeof headers;

/** The headers of every authenticated answer. */
export const rateLimit: readonly HeaderName[] = [
  "RateLimit-Policy",
  "RateLimit",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
];

/** References to headers, as a response has them: those that all have, and the named ones. */
export function headersOf(...names: readonly HeaderName[]): Answer["headers"] {
  return Object.fromEntries(
    ["X-Request-Id", ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
