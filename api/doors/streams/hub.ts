import { type AliasableExpression, type SqlBool, sql } from "kysely";
import { own, selectFrom, statement, userId } from "../../../shared/db/reads/statement.ts";
import type { Config } from "../../../shared/process/config.ts";
import type { RedisConnection } from "../../../shared/queue/connections.ts";
import { watchUsers } from "../../../shared/queue/watched-users.ts";
import { action, actionsWhere, newestFirst } from "../../queries/action/read.ts";
import {
  type DaySettingsColumns,
  daySettings,
  daySettingsOf,
  type QueryContext,
} from "../../queries/engine/context.ts";

export type LiveHub = Awaited<ReturnType<typeof openLiveHub>>;

type Dependencies = Readonly<{
  config: Pick<Config, "redisUrl" | "queuePrefix">;
  /** Announces the users whose pages are open here. */
  redis: RedisConnection;
  readState(userId: string): Promise<UserState | undefined>;
}>;

/** The most streams of a front door; of one user, pages and clients each; and of one token, which leaves some to others. */
const maxStreams = 1_000;
const maxStreamsOfUser = 8;
const maxStreamsOfToken = 6;
/** Clients of one network leave room for others, whatever number of accounts they have. */
const maxStreamsOfNetwork = 200;

/** The streams of one front door. It listens to Redis once for all of them. */
export async function openLiveHub({ config, redis, readState }: Dependencies) {
  const users = new Map<string, UserWatch>();
  let count = 0;
  let isOpen = true;

  const watched = await watchUsers(config, redis, {
    users: () => users.keys(),
    onChange: (userId) => users.get(userId)?.look(),
  });

  function watch(userId: string): UserWatch {
    const known = users.get(userId);
    if (known) return known;
    const made = watchUser(() => readState(userId));
    users.set(userId, made);
    watched.say([userId]);
    return made;
  }

  function leave(userId: string, stream: LiveStream): void {
    const user = users.get(userId);
    if (!user?.streams.delete(stream)) return;
    count -= 1;
    if (user.streams.size > 0) return;
    user.close();
    users.delete(userId);
  }

  const endAll = () => {
    isOpen = false;
    for (const { streams } of users.values()) for (const stream of streams) stream.end();
  };

  return {
    /** @returns a function to leave; undefined when there is no room for another stream */
    join(userId: string, stream: LiveStream): (() => void) | undefined {
      const makeRoom = stream.client ? hasRoomForClient(stream.client) : makeRoomForPage;
      if (!isOpen || !makeRoom(users, userId, count >= maxStreams)) return undefined;
      const user = watch(userId);
      user.streams.add(stream);
      count += 1;
      user.look();
      return () => leave(userId, stream);
    },
    /** Ends all streams and takes no more; their pages reconnect to another door. */
    endAll,
    close(): void {
      endAll();
      watched.close();
    },
  };
}

type Users = ReadonlyMap<string, UserWatch>;

const isPage = ({ client }: LiveStream): boolean => client === undefined;

/**
 * Makes room for a user's newest page by ending their oldest one. If this door is full, the user with the most streams
 * loses one; nobody loses the only one.
 * @returns true if there is room
 */
function makeRoomForPage(users: Users, userId: string, isFull: boolean): boolean {
  const pages = [...(users.get(userId)?.streams ?? [])].filter(isPage);
  if (pages.length >= maxStreamsOfUser) return endFirst(pages);
  if (!isFull) return true;
  const busiest = [...users.values()].reduce((a, b) => (b.streams.size > a.streams.size ? b : a));
  return busiest.streams.size > 1 && endFirst([...busiest.streams]);
}

function endFirst([first]: readonly LiveStream[]): boolean {
  first?.end("goodbye");
  return first !== undefined;
}

/** A client that is turned away comes again by itself, so it ends nobody's stream. */
const hasRoomForClient =
  ({ network, tokenId }: Client) =>
  (users: Users, userId: string, isFull: boolean) => {
    const own = [...(users.get(userId)?.streams ?? [])].flatMap(({ client }) => client ?? []);
    if (isFull || own.length >= maxStreamsOfUser) return false;
    if (own.filter((client) => client.tokenId === tokenId).length >= maxStreamsOfToken) return false;
    const all = [...users.values()].flatMap(({ streams }) => [...streams]);
    return all.filter(({ client }) => client?.network === network).length < maxStreamsOfNetwork;
  };

type Client = Readonly<{ network: string; tokenId: string }>;

/** An open page, or a client that follows changes. */
export type LiveStream = Readonly<{
  /** Absent for a page. */
  client?: Client;
  /**
   * Says that something may have changed.
   * @param state undefined for a deleted account
   */
  tell(state: UserState | undefined): void;
  /** Shows proxies and the client that the connection is alive. */
  beat(): void;
  /** @param goodbye set if the page must not reconnect */
  end(goodbye?: "goodbye"): void;
}>;

type UserWatch = ReturnType<typeof watchUser>;

const beatMs = 15_000;
/** A user with many changes in a row is read this often. */
const pauseMs = 500;

/**
 * Reads a user's state after each notice of a change, and with each beat. So a lost notice only delays a stream, and
 * streams see that their session or token has ended.
 */
export function watchUser(read: () => Promise<UserState | undefined>) {
  /** Streams in order of arrival. */
  const streams = new Set<LiveStream>();
  let planned: ReturnType<typeof setTimeout> | undefined;
  let isAsked = false;
  let lookedAt = Number.NEGATIVE_INFINITY;

  async function lookNow(): Promise<void> {
    // During an outage of the database, pages stay as they are.
    const state = await read().catch(() => "unknown" as const);
    if (state === "unknown") return;
    for (const stream of streams) stream.tell(state);
  }

  /** A notice that comes during a read may be newer than its result, so it causes another read. */
  async function lookOnce(): Promise<void> {
    lookedAt = performance.now();
    isAsked = false;
    await lookNow().finally(() => {
      planned = undefined;
    });
    if (isAsked && streams.size > 0) look();
  }

  /** Schedules a read, because something may have changed. */
  function look(): void {
    isAsked = true;
    planned ??= setTimeout(lookOnce, Math.max(0, lookedAt + pauseMs - performance.now()));
  }

  const heart = setInterval(() => {
    for (const stream of streams) stream.beat();
    look();
  }, beatMs);

  return {
    streams,
    look,
    close(): void {
      clearInterval(heart);
      clearTimeout(planned);
    },
  };
}

/** The events that a page follows: all actions in the user's name, or only those that may have changed something. */
export type Followed = "actions" | "changes";

/** The present versions for a user's pages, and the generation of sessions that may see them. */
export type UserState = Readonly<{
  /** These differ after each action or change, and on another day of the user. */
  versions: Readonly<Record<Followed, string>>;
  generation: number;
}>;

/** Reads of agents have no index of their own, so a change before more reads than this is missed. */
const mostLookedAt = 200;

const { ref } = action;
/** Actions on pages may change things without an image, as an import does. */
const isChange = sql<boolean>`${ref("a.before")} is not null or ${ref("a.after")} is not null or ${ref("a.door")} = 'page'`;

const newest = (condition: AliasableExpression<SqlBool>) => sql<string>`
  (select extract(epoch from latest.called_at)::text || latest.request_id::text
  from ${actionsWhere()
    .select(["a.called_at", "a.request_id", condition.as("counts")])
    .orderBy(newestFirst)
    .limit(sql.lit(mostLookedAt))} latest
  where latest.counts order by latest.called_at desc, latest.request_id desc limit 1)`;

type StateRow = DaySettingsColumns & { generation: number; action: string | null; change: string | null };

const userState = statement(
  {},
  () => sql<StateRow>`
    select coalesce(${selectFrom(own("users").as("u")).select("u.session_generation")}, 0) as generation,
      ${sql.join(daySettings)}, ${newest(sql.lit(true))} as action, ${newest(isChange)} as change
    where not exists (select from deleted_users where id = ${userId})`,
);

/** @returns undefined when the account is deleted */
export async function readUserState(query: QueryContext): Promise<UserState | undefined> {
  const found = await query.rows(userState({}));
  const [row] = found;
  if (!row) return undefined;
  const { today } = daySettingsOf(found, query);
  const version = (key: string | null) => Bun.hash(`${today.date} ${key ?? ""}`).toString(36);
  return {
    versions: { actions: version(row.action), changes: version(row.change) },
    generation: row.generation,
  };
}
