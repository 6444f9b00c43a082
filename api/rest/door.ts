import type { Actor } from "../../shared/actor.ts";
import type { Contract } from "../../shared/contracts/catalogue.ts";
import type { Route } from "../../shared/contracts/contract.ts";
import { idempotencyKeyLimit } from "../../shared/contracts/fields.ts";
import { unknownNames } from "../../shared/contracts/unknown-names.ts";
import type { Fields } from "../../shared/contracts/validate.ts";
import { hasExampleDate, withPresentExamples } from "../../shared/domain/example-dates.ts";
import { invalid, isRefused, notFound, type Refused, refuse } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import type { Outcome } from "../../shared/queue/batch.ts";
import type { CommandResult } from "../../shared/queue/client/dispatch.ts";
import { type CallerContext, challengeHeaders, findCaller } from "../auth/caller.ts";
import { isObject, readBody } from "../http/body.ts";
import { queryFields, repeatedParameters } from "../http/query-fields.ts";
import { type RateLimit, rateLimitHeaders } from "../http/rate-limit.ts";
import { nothingHere, refusalResponse } from "../http/refusal-response.ts";
import { type Content, type PerformContext, perform } from "../perform.ts";
import { readDaySettings } from "../queries/context.ts";
import { isConditional, preconditionsOf, shownResponse } from "./conditions.ts";
import { routeFields } from "./route-fields.ts";

export type RestContext = PerformContext & CallerContext & Readonly<{ config: Config; rateLimit: RateLimit }>;

export const restPrefix = "/api/v1";

/** A route of a contract, and what its path's parameters are in a request. */
type Target = Readonly<{ contract: Contract; route: Route; params: Readonly<Record<string, string>> }>;

/**
 * Answers one REST route of a contract. The checks come in this order: 401, 429, 403, then the body (400,
 * 413, 415), then 422, then what depends on the rows (404, 412, 409).
 */
export async function answerRest(context: RestContext, target: Target, request: Request): Promise<Response> {
  const caller = await findCaller(context, "rest", request);
  if (isRefused(caller)) return refusalResponse(caller.refusal, caller.headers);
  const { actor } = caller;
  const allowance = await context.rateLimit(actor.tokenId);
  const headers = rateLimitHeaders(allowance);
  if (allowance && !allowance.allowed) return refusalResponse(tooMany(allowance.resetInSeconds), headers);
  const { contract, route } = target;
  const content = () => readContent(target, request);
  const result = await perform(context, { contract, actor, allowance, required: route.required, content });
  const outcome = await withUsersDates(context, actor, result.outcome);
  return respond(context.config, target, request, { result: { ...result, outcome }, headers });
}

/** A refusal is held up no longer than this for the user's day. */
const usersDayMs = 100;

/** A refusal whose examples of dates fit the user's day, where the database says soon which it is. */
async function withUsersDates(
  { query }: PerformContext,
  actor: Pick<Actor, "userId">,
  outcome: Outcome,
): Promise<Outcome> {
  if (!isRefused(outcome) || !hasExampleDate(outcome.refusal)) return outcome;
  const known = readDaySettings(query(actor)).then(
    (settings) => settings.today.date,
    () => undefined,
  );
  const today = await Promise.race([known, Bun.sleep(usersDayMs).then(() => undefined)]);
  return today === undefined ? outcome : { refusal: withPresentExamples(outcome.refusal, today) };
}

function tooMany(seconds: number) {
  const message = `Too many requests. Please wait ${seconds} seconds.`;
  return refuse("rate_limited", message, { retryAfterSeconds: seconds }).refusal;
}

async function readContent(target: Target, request: Request): Promise<Content | Refused> {
  const fields = await readFields(target, request);
  const { contract, route } = target;
  if (isRefused(fields) || contract.kind === "query") return fields;
  const preconditions = isConditional(contract, route) ? preconditionsOf(request) : undefined;
  const key = request.headers.get("idempotency-key");
  if (key === null) return { ...fields, preconditions };
  if (key !== "" && key.length <= idempotencyKeyLimit)
    return { ...fields, preconditions, idempotencyKey: key };
  const message = `The Idempotency-Key header must be 1 to ${idempotencyKeyLimit} characters.`;
  return invalid({ "Idempotency-Key": [message] });
}

/** The fields in path, query and body, and a refusal of each name that the route does not have there. */
async function readFields({ contract, route, params }: Target, request: Request): Promise<Content | Refused> {
  const ids: Record<string, number> = {};
  for (const [name, text] of Object.entries(params)) {
    const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(id)) return contract.resource ? notFound(contract.resource) : nothingHere;
    ids[name] = id;
  }
  const { inQuery, inBody } = routeFields(contract, route);
  const query = new URL(request.url).searchParams;
  const unknown = {
    ...repeatedParameters(contract.input, query),
    ...unknownNames([...query.keys()], inQuery),
  };
  const found = queryFields(contract.input, query);
  if (route.method === "GET") return { fields: { ...found, ...ids }, unknown };
  const body = await readBody(request);
  if (isRefused(body)) return body;
  const sent = route.method === "POST" ? withoutNulls(body.fields) : body.fields;
  return {
    fields: { ...found, ...sent, ...ids },
    unknown: { ...unknown, ...unknownNames(Object.keys(body.fields), inBody) },
  };
}

/** In POST, null is the same as leaving the field out. */
function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

type Result = Readonly<{ result: CommandResult; headers: Headers }>;

function respond(
  config: Config,
  { contract, route }: Target,
  request: Request,
  { result: { outcome, replayed }, headers }: Result,
): Response {
  if (replayed) headers.set("idempotent-replayed", "true");
  if (isRefused(outcome)) {
    const challenge = challengeHeaders(config, "rest", outcome.refusal, true, contract.scopes);
    for (const [name, value] of challenge) headers.set(name, value);
    return refusalResponse(outcome.refusal, headers);
  }
  const { body } = outcome;
  if (body === null || route.status === 204) return new Response(null, { status: 204, headers });
  if (route.status === 201 && isObject(body))
    headers.set("location", `${config.baseUrl}${restPrefix}${route.path}/${body.id}`);
  return shownResponse(contract, route, request, { body, headers });
}
