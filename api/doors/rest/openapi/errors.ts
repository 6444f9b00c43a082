import { type TSchema, Type } from "typebox";
import { exampleApproval } from "../../../../shared/contracts/approval/contracts.ts";
import type { Contract } from "../../../../shared/contracts/catalogue.ts";
import type { Route } from "../../../../shared/contracts/kernel/contract.ts";
import { titled } from "../../../../shared/contracts/kernel/fields.ts";
import {
  invalid,
  notFound,
  preconditionFailed,
  type RefusalCode,
  type Refused,
  refuse,
  unavailable,
} from "../../../../shared/errors.ts";
import { problemBody, refusalBody, refusalCodes, statusOf } from "../../../http/response.ts";
import { isConditional } from "../route.ts";
import { type Answer, capitalised, type Schemas } from "./schemas.ts";

const text = { type: "string" };
const wholeNumber = { type: "integer", minimum: 0 };

/** Every header of answers beyond HTTP's own, as components of the document. */
export const headers = {
  "X-Request-Id": {
    description:
      "The id of the request in the service's logs and on the page Activity. One that is sent is noted in the logs beside it.",
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

type HeaderName = keyof typeof headers;

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

/** A refusal as the document shows it, under a name by which operations refer to it. */
type ErrorResponse = Readonly<{
  name: string;
  description: string;
  refused: Refused;
  headers: readonly HeaderName[];
}>;

const unauthenticated: ErrorResponse = {
  name: "Unauthenticated",
  description: "The token is missing, invalid, expired or revoked",
  refused: refuse("unauthenticated", "This request needs an access token."),
  headers: ["WWW-Authenticate"],
};

const insufficientScope: ErrorResponse = {
  name: "InsufficientScope",
  description:
    "The token lacks a scope that the operation needs; or the account has no room for a change (`quota`), or the token's own rules do not allow it (`token_limit`)",
  refused: refuse("insufficient_scope", "This needs a token with the scope habits:read."),
  headers: ["WWW-Authenticate", ...rateLimit],
};

const rateLimited: ErrorResponse = {
  name: "RateLimited",
  description: "The token made more requests than it may in one minute",
  refused: refuse("rate_limited", "Too many requests. Please wait 42 seconds."),
  headers: ["Retry-After", ...rateLimit],
};

const overloaded: ErrorResponse = {
  name: "Overloaded",
  description:
    "Briefly unavailable. `applied` says whether a change may have happened; with an idempotency key it can be sent again safely.",
  refused: unavailable("no"),
  headers: ["Retry-After", ...rateLimit],
};

const unprocessable: ErrorResponse = {
  name: "Invalid",
  description: "A parameter or a field is not acceptable; `errors` has the reasons by field",
  refused: invalid({ title: ["The title field is required."] }),
  headers: rateLimit,
};

const conditionFailed: ErrorResponse = {
  name: "PreconditionFailed",
  description: "`If-Match` does not name the present state; nothing was changed",
  refused: preconditionFailed("If-Match"),
  headers: rateLimit,
};

const { id, state, expires_at, approve_at } = exampleApproval.output;
const waiting: ErrorResponse = {
  name: "Waiting",
  description:
    "The token's rules ask for the person's approval: nothing is changed yet, and `Location` has the request's state",
  refused: refuse("waiting", "This waits for the person's approval, and nothing is changed yet.", {
    next: `Ask the person to decide at ${approve_at} within 72 hours.`,
    approval: { id, state, expires_at, approve_at },
  }),
  headers: ["Location", "Idempotent-Replayed", ...rateLimit],
};

/** Errors of a body before its fields are checked. */
const bodyErrors: readonly ErrorResponse[] = [
  {
    name: "MalformedBody",
    description: "The body is not a JSON object",
    refused: refuse("malformed_body", "The request body must be a JSON object."),
    headers: rateLimit,
  },
  {
    name: "BodyTooLarge",
    description: "The body is larger than 64 KiB",
    refused: refuse("body_too_large", "The request body must not be larger than 64 KiB."),
    headers: rateLimit,
  },
  {
    name: "UnsupportedMediaType",
    description: "The body is not sent as JSON",
    refused: refuse("unsupported_media_type", "The request body must be sent as application/json."),
    headers: rateLimit,
  },
];

/** The errors that an operation can answer. */
export function errorsOf(contract: Contract, route: Route): ErrorResponse[] {
  const { kind, resource, scopes } = contract;
  const changes = kind === "command";
  const replayed: readonly HeaderName[] = changes ? ["Idempotent-Replayed", ...rateLimit] : rateLimit;
  const errors = [unauthenticated, unprocessable, rateLimited, overloaded];
  if (scopes.length > 0) errors.push(insufficientScope);
  if (changes) errors.push(waiting, ...bodyErrors);
  if (isConditional(contract, route)) errors.push(conditionFailed);
  if (resource && route.path.includes("{"))
    errors.push({
      name: `${changes ? "Changed" : ""}${resource}NotFound`,
      description:
        resource === "Reminder"
          ? "There is no todo with this id, or it has no reminder"
          : `The user has no ${resource.toLowerCase()} with this id`,
      refused: notFound(resource),
      headers: replayed,
    });
  if (contract.conflict)
    errors.push({
      name: `${capitalised(route.operationId)}Conflict`,
      description: "The state does not allow it",
      refused: contract.conflict,
      headers: replayed,
    });
  return errors;
}

export const statusOfError = ({ refused }: ErrorResponse): number => statusOf(refused.refusal.code);

export function errorResponse(error: ErrorResponse, schemas: Schemas): Answer {
  const { description, refused } = error;
  const { code } = refused.refusal;
  const status = statusOf(code);
  const body = refusalBody(refused.refusal);
  const problem = { refused: { value: problemBody(status, body) } };
  return {
    description,
    headers: headersOf(...error.headers),
    content: {
      "application/json": {
        schema: schemas.show(bodies[code] ?? PlainError),
        examples: { refused: { value: body } },
      },
      ...(status >= 400 && {
        "application/problem+json": { schema: schemas.show(Problem), examples: problem },
      }),
    },
  };
}

const Reasons = Type.Unsafe({ type: "object", additionalProperties: Type.Array(Type.String()) });
const ValidationError = titled("ValidationError", Type.Object({ message: Type.String(), errors: Reasons }));

const WaitingRequest = titled(
  "WaitingRequest",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    state: Type.String(),
    expires_at: Type.String({ format: "date-time" }),
    approve_at: Type.String(),
    message: Type.String(),
  }),
);

/** Bodies that name no code. */
const bodies: Readonly<Partial<Record<RefusalCode, TSchema>>> = {
  invalid: ValidationError,
  waiting: WaitingRequest,
};

const facts = {
  code: titled("ErrorCode", Type.Enum(refusalCodes.filter((code) => !(code in bodies)))),
  applied: Type.Optional(titled("Applied", Type.Enum(["no", "unknown"]))),
};

const PlainError = titled("Error", Type.Object({ message: Type.String(), ...facts }));

/** The same refusals for clients that accept problem details (RFC 9457). */
const Problem = titled(
  "Problem",
  Type.Object({
    type: Type.Literal("about:blank"),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    ...Type.Partial(Type.Object({ ...facts, errors: Reasons })).properties,
  }),
);
