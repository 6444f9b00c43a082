import type { Contract, Route } from "../../shared/contracts/contract.ts";
import type { Fields } from "../../shared/contracts/validate.ts";
import { invalid, isRefused, notFound, type Refused, refuse } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import type { CommandResult } from "../../shared/queue/client/dispatch.ts";
import type { Authenticate } from "../auth/authenticate.ts";
import { scopeChallenge, unauthenticatedChallenge } from "../auth/challenge.ts";
import { readBody } from "../http/body.ts";
import { queryFields } from "../http/query-fields.ts";
import { type RateLimit, setRateLimitHeaders } from "../http/rate-limit.ts";
import { jsonResponse, refusalResponse } from "../http/refusal-response.ts";
import { checkScopes, type PerformContext, perform } from "../perform.ts";

export type RestContext = PerformContext &
  Readonly<{ config: Config; authenticate: Authenticate; rateLimit: RateLimit }>;

export const restPrefix = "/api/v1";

/**
 * Answers one REST route of a contract. The checks come in this order: 401, 429, 403, then the body (400,
 * 413, 415), then 422, then what the rows say (404, 409).
 */
export async function answerRest(
  context: RestContext,
  contract: Contract,
  route: Route,
  request: Request,
  params: Readonly<Record<string, string>>,
): Promise<Response> {
  const headers = new Headers();
  const authorization = request.headers.get("authorization");
  const caller = await context.authenticate(authorization);
  if (isRefused(caller)) {
    const { code } = caller.refusal;
    const challenge = unauthenticatedChallenge(context.config, "rest", authorization !== null);
    if (code === "unauthenticated") headers.set("www-authenticate", challenge);
    return refusalResponse(caller.refusal, headers);
  }
  const allowance = await context.rateLimit(caller.actor.tokenId);
  if (allowance) setRateLimitHeaders(headers, allowance);
  if (allowance && !allowance.allowed)
    return refusalResponse(tooMany(allowance.resetInSeconds).refusal, headers);
  const forbidden = checkScopes(contract, caller.actor);
  if (forbidden) {
    headers.set("www-authenticate", scopeChallenge(context.config, "rest", contract.scopes));
    return refusalResponse(forbidden.refusal, headers);
  }
  const fields = await collectFields(contract, route, request, params);
  if (isRefused(fields)) return refusalResponse(fields.refusal, headers);
  const idempotencyKey = contract.kind === "command" ? idempotencyKeyOf(request) : undefined;
  if (typeof idempotencyKey === "object") return refusalResponse(idempotencyKey.refusal, headers);
  const performed = await perform(context, contract, caller.actor, fields, { ...route, idempotencyKey });
  return respond(context.config, route, performed, headers);
}

function tooMany(seconds: number): Refused {
  const message = `Too many requests. Please wait ${seconds} seconds.`;
  return refuse("rate_limited", message, { retryAfterSeconds: seconds });
}

/** Path parameters, with the query of a GET or the JSON body of anything else. */
async function collectFields(
  contract: Contract,
  route: Route,
  request: Request,
  params: Readonly<Record<string, string>>,
): Promise<Fields | Refused> {
  const ids: Record<string, number> = {};
  for (const [name, text] of Object.entries(params)) {
    const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(id))
      return notFound(name === "category_id" ? "Category" : name === "habit_id" ? "Habit" : "Todo");
    ids[name] = id;
  }
  if (route.method === "GET")
    return { ...queryFields(contract.input, new URL(request.url).searchParams), ...ids };
  const body = await readBody(request);
  if (isRefused(body)) return body;
  return { ...(route.method === "POST" ? withoutNulls(body.fields) : body.fields), ...ids };
}

/** In POST, null is the same as leaving the field out. */
function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

const maxKeyLength = 255;

function idempotencyKeyOf(request: Request): string | undefined | Refused {
  const key = request.headers.get("idempotency-key");
  if (key === null) return undefined;
  if (key !== "" && key.length <= maxKeyLength) return key;
  return invalid({
    "Idempotency-Key": [`The Idempotency-Key header must be 1 to ${maxKeyLength} characters.`],
  });
}

function respond(
  config: Config,
  route: Route,
  { outcome, replayed }: CommandResult,
  headers: Headers,
): Response {
  if (replayed) headers.set("idempotent-replayed", "true");
  if ("refusal" in outcome) {
    const challenge = unauthenticatedChallenge(config, "rest", true);
    if (outcome.refusal.code === "unauthenticated") headers.set("www-authenticate", challenge);
    return refusalResponse(outcome.refusal, headers);
  }
  if (outcome.body === null || route.status === 204) return new Response(null, { status: 204, headers });
  if (route.status === 201) {
    const { id } = outcome.body as { id: number };
    headers.set("location", `${config.baseUrl}${restPrefix}${route.path}/${id}`);
  }
  return jsonResponse(JSON.stringify(outcome.body), route.status, headers);
}
