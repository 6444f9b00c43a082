import type { Pool, PoolClient, QueryResult, QueryResultRow } from "pg";
import { DatabaseFailure } from "../../shared/db/database-failure.ts";
import type { UserRow } from "../../shared/db/entities.ts";
import type { QueuedCommand } from "../../shared/queue/batch.ts";

/** A connection or pool that takes statements. A connection sends them in the order of the calls. */
export type Queryable = Readonly<{
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<Row>>;
}>;

const markFailure = (error: unknown): never => {
  throw new DatabaseFailure(error);
};

/** @throws DatabaseFailure when no connection can be had */
export const connect = (pool: Pool): Promise<PoolClient> => pool.connect().catch(markFailure);

/** Marks failed queries here, so that an error of the workers' own code never looks like an outage. */
export const markFailures = (connection: Queryable): Queryable => ({
  query: <Row extends QueryResultRow>(text: string, values?: unknown[]) =>
    connection.query<Row>(text, values).catch(markFailure),
});

const keyLocks = `
  select v.id, pg_try_advisory_xact_lock(v.lock) as free from unnest($1::text[], $2::bigint[]) v(id, lock)`;

/**
 * Locks the keys of commands with an idempotency key for this transaction: of two simultaneous repeats one runs,
 * and the other finds its reply. It never waits, and must be sent before the query for stored replies.
 * @returns the ids of commands whose key another transaction has locked
 */
export async function lockKeys(
  connection: Queryable,
  commands: readonly QueuedCommand[],
): Promise<ReadonlySet<string>> {
  const ids = commands.map(({ id }) => id);
  const { rows } = await connection.query<{ id: string; free: boolean }>(keyLocks, [ids, ids.map(lockOf)]);
  return new Set(rows.flatMap(({ id, free }) => (free ? [] : [id])));
}

/** PostgreSQL locks by a signed 64-bit number: the first half of the id, which is a hash of user and key. */
const lockOf = (id: string): string =>
  BigInt.asIntN(64, BigInt(`0x${id.replaceAll("-", "").slice(0, 16)}`)).toString();

const turnLock = "select pg_try_advisory_xact_lock(hashtextextended('works ' || $1, 0)) as free";
const openWork = "select from works where user_id = $1 and ended_at is null limit 1";

/**
 * Takes the user's turn until the transaction ends: only one slow command, group or step of a user runs at a time,
 * on any worker.
 */
export async function takeTurn(connection: Queryable, userId: string): Promise<boolean> {
  const { rows } = await connection.query<{ free: boolean }>(turnLock, [userId]);
  return rows[0]?.free === true;
}

/** Takes the turn for a slow command or group; long work of its user goes first. */
export async function takeTurnAfterWorks(
  connection: Queryable,
  userId: string,
): Promise<"taken" | "locked" | "after work"> {
  const [isFree, { rowCount }] = await Promise.all([
    takeTurn(connection, userId),
    connection.query(openWork, [userId]),
  ]);
  return isFree ? (rowCount === 0 ? "taken" : "after work") : "locked";
}

/** The columns of a user's settings that decide when the user's day begins. */
export type StoredDaySettings = Pick<UserRow, "time_zone" | "day_start_hour">;

/** The stored settings, if any, and the target of the user's reminders. */
type StoredUser = { [Setting in keyof StoredDaySettings]: StoredDaySettings[Setting] | null } & Pick<
  UserRow,
  "user_id" | "reminder_channel" | "webhook_disabled_at"
> & {
    /** True if the account was deleted; nothing is written for it any more. */
    deleted: boolean;
    ruled_tokens: readonly string[];
  };

/** The time of a transaction, and the settings that decide its users' days. */
export type BatchTimes = Readonly<{
  /** The transaction's time, with microseconds. */
  now: string;
  /** PostgreSQL's clock after BEGIN (epoch ms), so that no host's clock decides what is late. */
  nowMs: number;
  users: ReadonlyMap<string, StoredUser>;
  hasRules: boolean;
  /** Replies without a key to commands sent before then (epoch ms) may be lost; infinite when that time is unknown. */
  repliesSince: number;
}>;

const statement = `
  select now() as now, (extract(epoch from clock_timestamp()) * 1000)::float8 as at, v.user_id,
    u.time_zone, u.day_start_hour, coalesce(u.reminder_channel, 'log') as reminder_channel, u.webhook_disabled_at,
    d.id is not null as deleted,
    array(select r.token_id from token_rules r where r.user_id = v.user_id) as ruled_tokens,
    (select extract(epoch from complete_since)::float8 * 1000 from keyless_replies) as replies_since
  from unnest($1::text[]) v(user_id)
  left join lateral (select * from users u where u.user_id = v.user_id offset 0) u on true
  left join lateral (select id from deleted_users d where d.id = v.user_id offset 0) d on true`;

type Row = StoredUser & { now: string; at: number; replies_since: number | null };

/** One statement reads all of it: two made a transaction take 5 % longer. */
export async function readTimes(connection: Queryable, userIds: readonly string[]): Promise<BatchTimes> {
  const { rows } = await connection.query<Row>(statement, [userIds]);
  const [first] = rows;
  return {
    now: first?.now ?? "",
    nowMs: first?.at ?? 0,
    hasRules: rows.some(({ ruled_tokens }) => ruled_tokens.length > 0),
    users: new Map(rows.map((row) => [row.user_id, row])),
    repliesSince: first?.replies_since ?? Number.POSITIVE_INFINITY,
  };
}

/**
 * Stores that replies without a key are complete from now on. A crash of PostgreSQL empties their unlogged
 * partitions, and the row written here as well. A time in the future was stored before the clock was set back.
 */
export const noteRepliesSince = (connection: Queryable): Promise<unknown> =>
  connection.query(
    `insert into keyless_replies as known (complete_since) values (now())
     on conflict (only_row) do update set complete_since = excluded.complete_since
     where known.complete_since > excluded.complete_since`,
  );

/** The largest clock error (ms) of a front door whose times are trusted. */
const toleranceMs = 600_000;

/**
 * Rows lie in partitions by time, so the clock of a front door must not put one where no partition is.
 * @returns the front door's time (epoch ms), or PostgreSQL's if the two are far apart
 */
export const trustedTime = (time: number, { now, nowMs }: Pick<BatchTimes, "now" | "nowMs">): string =>
  Math.abs(time - nowMs) < toleranceMs ? new Date(time).toISOString() : now;

/** The time in a UUIDv7 (RFC 9562 §5.7: it begins with the milliseconds since 1970). */
export const timeOfUuid = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
