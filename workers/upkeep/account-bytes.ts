import { LRUCache } from "lru-cache";
import { Gauge, type Registry } from "prom-client";
import type { Database } from "../../shared/db/orm.ts";
import { countKeptBytes, mostBytes } from "../../shared/doctor/kept-bytes.ts";
import { type Refused, refuse } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import { startSchedule, type WorkerContext } from "../process/context.ts";
import type { Queryable } from "../unit-of-work/connection.ts";
import { describeTables, type SizedColumns, type TableMap } from "../unit-of-work/tables.ts";

/** The kind of a command that adds to the kept bytes or undoes changes. All others run in a full account, too. */
export type Stores = "more" | "back";

/** The bytes of accounts, as one worker knows them. The rules are in docs/decisions.md. */
export type AccountBytes = Readonly<{
  /** @returns the refusal of a command that would store too much */
  refusal(userId: string, stores: Stores): Refused | undefined;
  /** Notes long texts that a command stores beside its rows, because they can be many times what was sent. */
  noteLong(userId: string, length: number): void;
}>;

/** Refuses nothing and notes nothing. */
export const noAccountBytes: AccountBytes = { refusal: () => undefined, noteLong() {} };

/** An undo may exceed the limits, but only by a bounded share, because it can be redone. */
const shares = { more: 1, back: 1.1 };
/** Stored bytes beside the rows for each byte that an account may send in an hour. */
const storedForSent = 4;
const hourMs = 3_600_000;
const everyMs = 5_000;
/** The most accounts that a worker counts at a time, asks about at a time, and remembers. */
const mostAtOnce = 20;
const mostAsked = 500;
const mostKnown = 20_000;

/** Refuses by the last counts, and counts the accounts that store something: each once an hour. */
export function startAccountBytes(
  worker: Pick<WorkerContext, "config" | "database" | "registry" | "log" | "watch">,
): AccountBytes & Readonly<{ stop(): Promise<void> }> {
  const { config, database } = worker;
  const most = mostBytes(config.accountMegabytes);
  const mostLong = storedForSent * mostBytes(config.sentMegabytesPerHour);
  /** Accounts that stored something, and may be due. */
  const changed = new LRUCache<string, true>({ max: mostKnown });
  /** Lengths of long texts in the hour after the first one. */
  const long = new LRUCache<string, { length: number }>({ max: mostKnown, ttl: hourMs });
  let full = new Map<string, number>();
  const show = showKeptBytes(worker.registry, config.accountMegabytes);
  async function countDue(): Promise<void> {
    const asked = [...changed.keys()].slice(0, mostAsked);
    const due = await takeDue(database.pool, [...asked, ...full.keys()]);
    for (const userId of asked) changed.delete(userId);
    for (const userId of asked) if (!due.includes(userId)) changed.set(userId, true);
    await countAccounts(database, due).finally(async () => {
      full = await fullAccounts(database.pool, most);
    });
    await show(database);
  }
  const schedule = startSchedule(worker, { name: "account bytes", everyMs, run: countDue });
  return {
    ...schedule,
    refusal(userId, stores) {
      changed.set(userId, true);
      if ((full.get(userId) ?? 0) >= most * shares[stores]) return keepsTooMuch(config);
      const { length = 0 } = long.get(userId) ?? {};
      return length >= mostLong * shares[stores] ? growsTooFast(long.getRemainingTTL(userId)) : undefined;
    },
    noteLong(userId, length) {
      const known = long.get(userId);
      if (known) known.length += length;
      else long.set(userId, { length });
    },
  };
}

const keepsTooMuch = ({ accountMegabytes }: Pick<Config, "accountMegabytes">): Refused =>
  refuse("quota", `Your account keeps ${accountMegabytes} MB, the most that it may`, {
    next: "delete what is not needed and forget it on the page Activity, because deleted things stay in the history for 30 days.",
  });

function growsTooFast(remainingMs: number): Refused {
  const seconds = Math.ceil(remainingMs / 1_000);
  return refuse("quota", "Your account stored too much in this hour", {
    next: `wait ${seconds} seconds, or change less by one request.`,
    retryAfterSeconds: seconds,
  });
}

/**
 * Takes accounts that nobody counted within the hour.
 * @returns those that this worker is to count
 */
async function takeDue(connection: Queryable, userIds: readonly string[]): Promise<string[]> {
  const { rows } = await connection.query<{ user_id: string }>(
    `insert into account_bytes as known (user_id, counted_at, things, images, log)
     select v.user_id, now(), 0, 0, 0 from (select distinct unnest($1::text[]) as user_id) v
     left join lateral (select counted_at from account_bytes b where b.user_id = v.user_id offset 0) b on true
     where b.counted_at is null or ${isDue("b")} limit ${mostAtOnce}
     on conflict (user_id) do update set counted_at = now() where ${isDue("known")}
     returning user_id`,
    [userIds],
  );
  return rows.map(({ user_id }) => user_id);
}

const isDue = (row: string): string => `${row}.counted_at < now() - interval '1 hour'`;

async function fullAccounts(connection: Queryable, most: number): Promise<Map<string, number>> {
  const { rows } = await connection.query<{ user_id: string; kept: number }>(
    "select user_id, kept::float8 from account_bytes where kept >= $1",
    [most],
  );
  return new Map(rows.map(({ user_id, kept }) => [user_id, kept]));
}

/** Stores what these accounts keep, by their tables. Stored replies end so soon that they do not count. One that fails stops no other. */
export async function countAccounts({ pool, orm }: Database, userIds: readonly string[]): Promise<void> {
  const text = counting(describeTables(orm));
  let failure: Error | undefined;
  for (const userId of userIds)
    await pool.query(text, [userId]).catch((error: Error) => {
      failure = error;
    });
  if (failure) throw failure;
}

function counting(tables: TableMap): string {
  const kept = Object.values(tables).flatMap(({ name, bytes, sized }) =>
    bytes === "none"
      ? []
      : [`select '${bytes}' as kind, sum(${sqlBytes(sized)}) as bytes from ${name} where user_id = $1`],
  );
  const sumOf = (kind: string) => `coalesce(sum(bytes) filter (where kind = '${kind}'), 0)`;
  return `
    update account_bytes set (things, images, log) = (
      select ${sumOf("things")}, ${sumOf("images")}, ${sumOf("log")} from (${kept.join(" union all ")}) kept)
    where user_id = $1`;
}

/** A row's header, numbers and times, and its entries in indexes. */
const bytesOfRow = 200;
const bytesOfList = 300;

/** It reads no text, because PostgreSQL knows the length of each. */
const sqlBytes = ({ texts, lists }: SizedColumns): string =>
  [
    bytesOfRow,
    ...texts.map((name) => `coalesce(octet_length(${name}), 0)`),
    ...lists.map((name) => `case when ${name} is null then 0 else ${bytesOfList} end`),
  ].join(" + ");

/** Has an account counted within seconds, because much of it is gone. */
export const countSoon = (connection: Queryable, userId: string): Promise<unknown> =>
  connection.query("update account_bytes set counted_at = '-infinity' where user_id = $1", [userId]);

/** @returns a function that shows the bytes of all accounts, once an hour */
function showKeptBytes(registry: Registry, accountMegabytes: number) {
  const registers = [registry];
  const bytes = new Gauge({ name: "kept_account_bytes", help: "Bytes that all accounts keep", registers });
  const near = new Gauge({
    name: "kept_accounts_near_limit",
    help: "Accounts that keep 80 % or more of what they may",
    registers,
  });
  let countedAt = Number.NEGATIVE_INFINITY;
  return async ({ pool }: Pick<Database, "pool">): Promise<void> => {
    if (performance.now() < countedAt + hourMs) return;
    countedAt = performance.now();
    const counted = await countKeptBytes(pool, accountMegabytes);
    bytes.set(counted.bytes);
    near.set(counted.near);
  };
}
