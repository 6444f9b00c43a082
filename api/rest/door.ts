import type { Actor } from "../../shared/actor.ts";
import { idempotencyKeyLimit } from "../../shared/contracts/fields.ts";
import { invalid, isRefused, type Refused, refuse } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import type { CommandResult } from "../../shared/queue/client/dispatch.ts";
import { groupCommand } from "../../shared/queue/group.ts";
import { type CallerContext, challengeHeaders, findCaller } from "../auth/caller.ts";
import { isObject, readBody } from "../http/body.ts";
import { type RateLimit, rateLimitHeaders } from "../http/rate-limit.ts";
import { originOf } from "../http/request.ts";
import { refusalResponse } from "../http/response.ts";
import { type Content, type PerformContext, perform } from "../perform.ts";
import { answerBatch, type BatchRequestContext } from "./batch/run.ts";
import { isConditional, preconditionsOf, shownResponse } from "./conditions.ts";
import { pathIds, type Target, targetContent } from "./target.ts";
import { withUsersDates } from "./users-dates.ts";

export type RestContext = PerformContext &
  BatchRequestContext &
  CallerContext &
  Readonly<{ config: Config; rateLimit: RateLimit }>;

export const restPrefix = "/api/v1";

/**
 * Answers one REST route of a contract. The checks come in this order: 401, 429, 403, then the body (400,
 * 413, 415), then 422, then what depends on the rows (404, 412, 409).
 */
export async function answerRest(context: RestContext, target: Target, request: Request): Promise<Response> {
  const caller = await findCaller(context, "rest", request);
  if (isRefused(caller)) return refusalResponse(caller.refusal, caller.headers);
  const { actor } = caller;
  const allowance = await context.rateLimit(actor.tokenId, actor.userId);
  const headers = rateLimitHeaders(allowance);
  if (allowance && !allowance.allowed) return refusalResponse(tooMany(allowance.resetInSeconds), headers);
  const { contract, route } = target;
  const content = () => readContent(target, request);
  const result =
    contract.name === groupCommand
      ? await performBatch(context, actor, request, await content())
      : await perform(context, {
          contract,
          actor,
          allowance,
          origin: originOf(request, "rest"),
          required: route.required,
          content,
        });
  const [outcome = result.outcome] = await withUsersDates(context, actor, [result.outcome]);
  return respond(context.config, target, request, { result: { ...result, outcome }, headers });
}

function tooMany(seconds: number) {
  const message = `Too many requests. Please wait ${seconds} seconds.`;
  return refuse("rate_limited", message, { retryAfterSeconds: seconds }).refusal;
}

/** The operations of a batch have their own scopes and contracts. The batch itself has no state that could match. */
async function performBatch(
  context: RestContext,
  actor: Actor,
  request: Request,
  content: Content | Refused,
): Promise<CommandResult> {
  if (isRefused(content)) return { outcome: content, replayed: false };
  const conditions = ["If-Match", "If-None-Match"].filter((name) => request.headers.has(name));
  if (conditions.length > 0) return { outcome: notConditional(conditions), replayed: false };
  return answerBatch(context, { actor, origin: originOf(request, "rest") }, content);
}

const notConditional = (headers: readonly string[]): Refused =>
  invalid(
    Object.fromEntries(
      headers.map((name) => [name, ["A batch has no state to match: send a conditional change by itself."]]),
    ),
  );

async function readContent(target: Target, request: Request): Promise<Content | Refused> {
  const content = await readFields(target, request);
  const { contract, route } = target;
  if (isRefused(content) || contract.kind === "query") return content;
  const preconditions = isConditional(contract, route) ? preconditionsOf(request) : undefined;
  const key = request.headers.get("idempotency-key");
  if (key === null) return { ...content, preconditions };
  if (key !== "" && key.length <= idempotencyKeyLimit)
    return { ...content, preconditions, idempotencyKey: key };
  const message = `The Idempotency-Key header must be 1 to ${idempotencyKeyLimit} characters.`;
  return invalid({ "Idempotency-Key": [message] });
}

async function readFields(target: Target, request: Request): Promise<Content | Refused> {
  const path = pathIds(target);
  if (isRefused(path)) return path;
  const { ids } = path;
  const query = new URL(request.url).searchParams;
  const body = target.route.method === "GET" ? { fields: {} } : await readBody(request);
  return isRefused(body) ? body : targetContent(target, { ids, query, body: body.fields });
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
