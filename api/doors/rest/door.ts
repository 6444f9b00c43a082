import { withPresentExamples } from "../../../shared/domain/day/day.ts";
import { entityTag, failedPrecondition } from "../../../shared/domain/preconditions.ts";
import { isRefused, preconditionFailed, type Refused, refuse } from "../../../shared/errors.ts";
import type { Config } from "../../../shared/process/config.ts";
import { groupCommand } from "../../../shared/queue/group.ts";
import type { Authenticate } from "../../auth/authenticate.ts";
import { addChallenge } from "../../auth/challenge.ts";
import type { UseCount } from "../../auth/use-count.ts";
import { isObject } from "../../http/input.ts";
import type { Observe } from "../../http/observe.ts";
import { type RateLimit, rateLimitHeaders } from "../../http/rate-limit.ts";
import { clientOf, senderOf } from "../../http/request.ts";
import { jsonResponse, refusalResponse } from "../../http/response.ts";
import type { Actor } from "../../mailbox/actor.ts";
import type { CommandResult } from "../../mailbox/dispatch.ts";
import { perform } from "../../perform.ts";
import { eventStreamHeaders } from "../streams/sink.ts";
import { type AskedRoute, type FollowContext, performChanges } from "./changes.ts";
import { preconditionsOf, readContent } from "./content.ts";
import { dateForExamples } from "./date-for-examples.ts";
import { answerGroup, type GroupContext } from "./group.ts";
import { type RestRoute, restPrefix, type Target } from "./route.ts";

export type RestContext = FollowContext &
  GroupContext &
  Readonly<{
    config: Config;
    observe: Observe;
    authenticate: Authenticate;
    /** Counts uses of tokens for the account journal. */
    noteUse: UseCount["note"];
    /** Undefined when requests have no limit. */
    rateLimit: RateLimit | undefined;
  }>;

type Way = (context: RestContext, asked: AskedRoute) => Promise<CommandResult>;

/** Contracts that a request does not pass through `perform`, or not at once. */
const ways: Readonly<Record<string, Way>> = {
  [groupCommand]: answerGroup,
  "change.list": performChanges,
  "change.stream": performChanges,
};

export const restHandler =
  (context: RestContext, found: RestRoute) =>
  (request: Request, params: Target["params"] = {}): Promise<Response> =>
    context.observe(request, found.route, () => answerRest(context, { ...found, params }, request));

/**
 * Answers a REST route of a contract. The checks come in this order: 401, 429, 403, then the body (400, 413, 415),
 * 422, and the rows (404, 412, 409).
 */
async function answerRest(context: RestContext, target: Target, request: Request): Promise<Response> {
  const caller = await context.authenticate(request.headers.get("authorization"));
  if (isRefused(caller)) return refused(context, target, request, caller);
  const { actor } = caller;
  const allowance = await context.rateLimit?.(actor.tokenId, actor.userId);
  const headers = allowance ? rateLimitHeaders(allowance) : new Headers();
  if (allowance?.allowed === false) return refusalResponse(tooMany(allowance.resetInSeconds), headers);
  const { contract, route } = target;
  const by = contract.kind === "command" ? senderOf(request, "rest", actor) : undefined;
  const content = () => readContent(target, request);
  const asked = { contract, actor, allowance, by, required: route.required, content, request };
  const { outcome, replayed, changes } = await (ways[contract.name] ?? perform)(context, asked);
  // A user's changes wait for each other, so the count follows behind the change that it is about.
  context.noteUse(actor, clientOf(request), contract.kind === "query");
  if (replayed) headers.set("idempotent-replayed", "true");
  if (isRefused(outcome)) return refused(context, target, request, outcome, { actor, headers });
  const body = route.status === 204 ? null : outcome.body;
  if (changes) return jsonResponse(JSON.stringify({ preview: true, would: body, changes }), 200, headers);
  return succeeded(context, target, { request, body, headers });
}

type Answer = Readonly<{ request: Request; body: unknown; headers: Headers }>;

/** A successful answer. This door checks a read's preconditions, the worker a change's. */
function succeeded({ config }: RestContext, { route, isConditional }: Target, answer: Answer): Response {
  const { request, body, headers } = answer;
  const { method, path, status } = route;
  if (body === null) return new Response(null, { status: 204, headers });
  if (status === 201 && isObject(body))
    headers.set("location", `${config.baseUrl}${restPrefix}${path}/${body.id}`);
  if (body instanceof ReadableStream) {
    for (const [name, value] of Object.entries(eventStreamHeaders)) headers.set(name, value);
    return new Response(body, { headers });
  }
  const json = JSON.stringify(body);
  if (!isConditional) return jsonResponse(json, status, headers);
  const tag = entityTag(json);
  headers.set("etag", tag);
  const conditions = method === "GET" ? preconditionsOf(request) : undefined;
  const failed = conditions && failedPrecondition(conditions, tag);
  if (failed === "If-Match") return refusalResponse(preconditionFailed(failed).refusal, headers);
  return failed ? new Response(null, { status: 304, headers }) : jsonResponse(json, status, headers);
}

function tooMany(seconds: number) {
  const message = `Too many requests. Please wait ${seconds} seconds.`;
  return refuse("rate_limited", message, { retryAfterSeconds: seconds }).refusal;
}

/** @param known the caller and the headers so far; absent when the token itself is refused */
async function refused(
  context: RestContext,
  { contract }: Target,
  request: Request,
  outcome: Refused,
  known?: Readonly<{ actor: Actor; headers: Headers }>,
): Promise<Response> {
  const today = known && (await dateForExamples(context, known.actor, [outcome]));
  const refusal = today ? withPresentExamples(outcome.refusal, today) : outcome.refusal;
  const tokenSent = request.headers.has("authorization");
  const demand = { resource: "rest", tokenSent, ...(known && { scopes: contract.scopes }) } as const;
  const headers = addChallenge(context.config, refusal, demand, known?.headers);
  const { approval } = refusal;
  if (approval) headers.set("location", `${context.config.baseUrl}${restPrefix}/approvals/${approval.id}`);
  return refusalResponse(refusal, headers);
}
