import type { InputOf, OutputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import { isRefused, type Refused, refuse } from "../../../shared/errors.ts";
import type { Authenticate } from "../../auth/authenticate.ts";
import { clientOf, idle, keptWaiting } from "../../http/request.ts";
import type { Actor } from "../../mailbox/actor.ts";
import type { CommandResult } from "../../mailbox/dispatch.ts";
import { checkScopes, execute, type PerformContext, type perform, prepare } from "../../perform.ts";
import { readFinalChanges } from "../../queries/change/read.ts";
import type { LiveHub, LiveStream } from "../streams/hub.ts";
import { openSink } from "../streams/sink.ts";

export type FollowContext = PerformContext & Readonly<{ authenticate: Authenticate; live: LiveHub }>;

type Following = Readonly<{ request: Request; actor: Actor }>;

/** A request of a route, before its content is read. */
export type AskedRoute = Parameters<typeof perform>[1] & Following;

type ChangePage = OutputOf<Queries["change.stream"]>;

/** Answers the routes of changes, which may wait for the next one. A browser that comes back sends `Last-Event-ID`. */
export async function performChanges(context: FollowContext, asked: AskedRoute): Promise<CommandResult> {
  const { contract, request } = asked;
  const lastId = contract.name === "change.stream" ? request.headers.get("last-event-id") : null;
  const content = async () => {
    const found = await asked.content();
    if (isRefused(found) || !lastId) return found;
    return { ...found, fields: { ...found.fields, cursor: lastId } };
  };
  const prepared = await prepare({ ...asked, content });
  if (isRefused(prepared)) return { outcome: prepared, replayed: false };
  const input: InputOf<Queries["change.list"]> = prepared.input;
  if (contract.name === "change.stream") {
    const body = await openStream(context, asked, input.cursor);
    return { outcome: isRefused(body) ? body : { body }, replayed: false };
  }
  const refused = await waitForChange(context, asked, input);
  return refused ? { outcome: refused, replayed: false } : execute(context, prepared);
}

/** Waits for a final change, or until the time is over. The wait holds no connection of the database. */
async function waitForChange(
  context: FollowContext,
  following: Following,
  { wait = 0, ...from }: InputOf<Queries["change.list"]>,
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

const readNews = (
  { query }: FollowContext,
  { actor }: Following,
  input: InputOf<Queries["change.stream"]>,
): Promise<ChangePage | Refused> => query(actor).inTurn((own) => readFinalChanges(own, input));

/** Changes that no reader may see yet are asked for again after this time. */
const askAgainMs = 300;

type Follower = Readonly<{
  readNext(): Promise<ChangePage | Refused>;
  /** @returns false when it wants no more */
  take(page: ChangePage): Promise<boolean> | boolean;
  /** Called once, when the follower wants no more or may have no more. */
  end(): void;
}>;

/**
 * Reads pages whenever something may have changed, one at a time, until its token ends.
 * @returns a function to leave; undefined when there is no room
 */
function follow(
  context: FollowContext,
  following: Following,
  follower: Follower,
  beat: () => void = () => {},
): (() => void) | undefined {
  const { request, actor } = following;
  let isAsked = false;
  let isReading = false;

  async function readOn(): Promise<void> {
    for (let isMore = true; isMore || isAsked; ) {
      isAsked = false;
      const page = (await isAllowed(context, request)) && (await follower.readNext());
      if (!page || (isRefused(page) && page.refusal.code === "invalid")) return follower.end();
      // Any other refusal passes, and the next beat reads again.
      if (isRefused(page)) return;
      if (page.data.length > 0 && !(await follower.take(page))) return follower.end();
      isMore = page.has_more;
      if (isMore && page.data.length === 0) await Bun.sleep(askAgainMs);
    }
  }

  const stream: LiveStream = {
    client: { network: clientOf(request), tokenId: actor.tokenId },
    tell(state) {
      isAsked = true;
      if (!state) return follower.end();
      if (isReading) return;
      isReading = true;
      // During an outage the client keeps its place.
      readOn()
        .catch(() => {})
        .finally(() => {
          isReading = false;
        });
    },
    beat,
    end: follower.end,
  };
  return context.live.join(actor.userId, stream);
}

/** False when the token has ended or lost its scopes. A provider that is away leaves it as it was. */
async function isAllowed({ authenticate }: FollowContext, { headers }: Request): Promise<boolean> {
  const caller = await authenticate(headers.get("authorization"));
  if (isRefused(caller)) return caller.refusal.code === "overloaded";
  return (
    checkScopes({ scopes: ["habits:read", "todos:read", "categories:read"] }, caller.actor) === undefined
  );
}

const noRoom = refuse("rate_limited", "Too many clients wait for changes.", { retryAfterSeconds: 30 });
