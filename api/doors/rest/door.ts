import type { InputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import { withPresentExamples } from "../../../shared/domain/day/example-dates.ts";
import { entityTag, failedPrecondition } from "../../../shared/domain/preconditions.ts";
import { isRefused, preconditionFailed, type Refused, refuse } from "../../../shared/errors.ts";
import type { Config } from "../../../shared/process/config.ts";
import { groupCommand } from "../../../shared/queue/group.ts";
import type { Authenticate } from "../../auth/authenticate.ts";
import { addChallenge } from "../../auth/challenge.ts";
import type { UseCount } from "../../auth/use-count.ts";
import { isObject } from "../../http/input/body.ts";
import type { Observe } from "../../http/observe.ts";
import { type RateLimit, rateLimitHeaders } from "../../http/rate-limit.ts";
import { clientOf, idle, keptWaiting, senderOf } from "../../http/request.ts";
import { jsonResponse, refusalResponse } from "../../http/response.ts";
import type { Actor } from "../../mailbox/actor.ts";
import type { CommandResult } from "../../mailbox/dispatch.ts";
import { execute, perform, prepare } from "../../perform.ts";
import { eventStreamHeaders, openSink } from "../streams/sink.ts";
import { preconditionsOf, readContent } from "./content.ts";
import { dateForExamples } from "./date-for-examples.ts";
import {
  type ChangePage,
  type FollowContext,
  type Following,
  follow,
  noRoom,
  readNews,
} from "./following/follow.ts";
import { answerGroup, type GroupContext } from "./group/run.ts";
import { type RestRoute, restPrefix, type Target } from "./route.ts";

type Question = Readonly<{ cursor?: string; wait?: number }>;

/** Waits for a final change, or until the time is over. The wait holds no connection of the database. */
async function waitForChange(
  context: FollowContext,
  following: Following,
  { wait = 0, ...from }: Question,
): Promise<Refused | undefined> {
  if (wait === 0) return undefined;
  const readNext = () => readNews(context, following, from);
  const first = await readNext();
  if (isRefused(first) || first.data.length > 0) return undefined;
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const leave = follow(context, following, { readNext, take: () => false, end });
  if (!leave) return noRoom;
  const timer = setTimeout(end, wait * 1_000);
  following.request.signal.addEventListener("abort", () => end());
  await idle(following.request, promise);
  clearTimeout(timer);
  leave();
  const caller = await context.authenticate(following.request.headers.get("authorization"));
  return isRefused(caller) ? caller : undefined;
}

/** A stream ends after this time; its client reconnects, maybe to another door. */
const longestMs = 60 * 60 * 1_000;

/** Server-sent events (HTML §9.2): each is a page of changes, and its id is the cursor behind it. */
async function openStream(
  context: FollowContext,
  following: Following,
  from: string | undefined,
): Promise<ReadableStream | Refused> {
  let cursor = from;
  const readNext = () => readNews(context, following, cursor === undefined ? {} : { cursor });
  const first = await readNext();
  if (isRefused(first)) return first;
  const sink = openSink();
  let isSending = false;
  const follower = {
    readNext,
    async take(page: ChangePage) {
      isSending = true;
      const event = `event: changes\nid: ${page.next_cursor}\ndata: ${JSON.stringify(page)}\n\n`;
      const isOpen = await sink.sendAll(event);
      isSending = false;
      cursor = page.next_cursor;
      return isOpen;
    },
    end: sink.end,
  };
  const leave = follow(context, following, follower, () => isSending || sink.send(":\n\n"));
  if (!leave) return noRoom;
  keptWaiting(following.request);
  const timer = setTimeout(sink.end, longestMs);
  sink.onEnd(() => {
    clearTimeout(timer);
    leave();
  });
  // A random delay spreads the clients of a stopped door.
  sink.send(`retry: ${2_000 + Math.floor(Math.random() * 3_000)}\n\n`);
  return sink.body;
}

/** Answers the routes of changes, which may wait for the next one. A browser that comes back sends `Last-Event-ID`. */
async function performChanges(context: FollowContext, asked: Asked): Promise<CommandResult> {
  const { contract, request } = asked;
  const lastId = contract.name === "change.stream" ? request.headers.get("last-event-id") : null;
  const content = async () => {
    const found = await asked.content();
    if (isRefused(found) || !lastId) return found;
    return { ...found, fields: { ...found.fields, cursor: lastId } };
  };
  const prepared = await prepare({ ...asked, content });
  if (isRefused(prepared)) return { outcome: prepared, replayed: false };
  const input = prepared.input as InputOf<Queries["change.list"]>;
  if (contract.name === "change.stream") {
    const body = await openStream(context, asked, input.cursor);
    return { outcome: isRefused(body) ? body : { body }, replayed: false };
  }
  const refused = await waitForChange(context, asked, input);
  return refused ? { outcome: refused, replayed: false } : execute(context, prepared);
}

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

/** Contracts that a request does not pass through `perform`, or not at once. */
const ways: { readonly [name: string]: (context: RestContext, asked: Asked) => Promise<CommandResult> } = {
  [groupCommand]: answerGroup,
  "change.list": performChanges,
  "change.stream": performChanges,
};

type Asked = Parameters<typeof perform>[1] & Readonly<{ actor: Actor; request: Request }>;

type Received = Readonly<{ request: Request; params?: Readonly<Record<string, string>> }>;

/** Makes the handler of a REST route. Elysia types a handler by the text of its path, which only contracts know. */
export const restHandler =
  (context: RestContext, found: RestRoute) =>
  (received: object): Promise<Response> => {
    const { request, params = {} } = received as Received;
    return context.observe(request, found.route, () => answerRest(context, { ...found, params }, request));
  };

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
