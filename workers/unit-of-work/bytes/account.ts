import type { LRUCache } from "lru-cache";
import type { ByteKind } from "../../../shared/db/entities.ts";
import { type Refused, refuse } from "../../../shared/errors.ts";
import type { Queryable } from "../connection.ts";
import { ownRows, type State } from "../state.ts";

/** Stores of bytes. They are the kinds of the ledger, except that replies with and without a key end at different times. */
const byteStores = ["things", "images", "log", "keyed", "keyless", "growth"] as const;
type ByteStore = (typeof byteStores)[number];

/** The bytes of each store. `kept` is the sum of all but `growth`. */
export type Bytes = Record<ByteStore | "kept", number>;

export const noBytes: Readonly<Bytes> = {
  ...{ things: 0, images: 0, log: 0, keyed: 0, keyless: 0 },
  ...{ growth: 0, kept: 0 },
};

/** An account as one worker knows it. */
export type KnownAccount = {
  kept: number;
  growth: number;
  /** The hour (since 1970) of that growth. */
  hour: number;
  trustedUntil: number;
  /** Bytes that the ledger does not have yet. */
  unwritten: Readonly<Bytes>;
};

const trustedMs = { withRoom: 60_000, full: 1_000 };

/** Reads the kept bytes of these users. */
export async function learnAccounts(
  connection: Queryable,
  known: LRUCache<string, KnownAccount>,
  userIds: readonly string[],
  most: number,
): Promise<void> {
  const now = performance.now();
  for (const { user_id, ...stored } of await readLedger(connection, userIds)) {
    const unwritten = known.get(user_id)?.unwritten ?? noBytes;
    const kept = stored.kept + unwritten.kept;
    const growth = stored.growth + unwritten.growth;
    const isFull = kept >= most || growth >= growthOf(most);
    const trustedUntil = now + trustedMs[isFull ? "full" : "withRoom"];
    known.set(user_id, { kept, growth, hour: stored.hour, trustedUntil, unwritten });
  }
}

/** The growth of an account in an hour beyond its requests. */
export const growthOf = (most: number): number => most / 10;

type StoredBytes = Readonly<{ user_id: string; kept: number; growth: number; hour: number }>;

async function readLedger(connection: Queryable, userIds: readonly string[]) {
  const { rows } = await connection.query<StoredBytes>(
    `select v.user_id, floor(extract(epoch from now()) / 3600)::float8 as hour,
       coalesce(sum(bytes) filter (where kind <> 'growth' and (kind = 'things' or expires_at > now())), 0)::float8 as kept,
       coalesce(sum(bytes) filter (where kind = 'growth' and expires_at > now()), 0)::float8 as growth
     from unnest($1::text[]) v(user_id)
     left join lateral (select * from byte_ledger l where l.user_id = v.user_id offset 0) l on true
     group by v.user_id`,
    [userIds],
  );
  return rows;
}

export const keepsTooMuch = (most: number): Refused =>
  refuse("quota", `Your account keeps ${most / 1_000_000} MB, the most that it may`, {
    next: "delete what is not needed and forget it on the page Actions, because deleted things stay in the history for 30 days.",
  });

export function growsTooFast(nowMs: number): Refused {
  const seconds = Math.ceil((hourMs - (nowMs % hourMs)) / 1_000);
  return refuse("quota", "Your account stored too much in this hour", {
    next: `wait ${seconds} seconds, or change less by one request.`,
    retryAfterSeconds: seconds,
  });
}

/** Adds changes of the ledger to the state. */
export function addToLedger(
  state: State,
  userId: string,
  bytes: Readonly<Bytes>,
  { nowMs, actionLogDays }: Readonly<{ nowMs: number; actionLogDays: number }>,
): void {
  const rows = ownRows(state, "byte_ledger", userId);
  for (const store of byteStores) {
    const [kind, expires_at] = [ledgerKindOf(store), expiryOf(store, nowMs, actionLogDays)];
    const before = rows.get(kind, expires_at)?.bytes ?? 0;
    if (bytes[store] !== 0) rows.upsert({ kind, expires_at, bytes: before + bytes[store] });
  }
}

const ledgerKindOf = (store: ByteStore): ByteKind =>
  store === "keyed" || store === "keyless" ? "replies" : store;

export const hourMs = 3_600_000;
const halfDayMs = 12 * hourMs;
const dayMs = 2 * halfDayMs;

const endOf = (nowMs: number, stepMs: number): number => (Math.floor(nowMs / stepMs) + 1) * stepMs;

function endOfMonth(nowMs: number): number {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
}

/**
 * The time when the partition of new data is dropped; for things, the time when their account is due to be
 * measured.
 */
const expiries: Readonly<Record<ByteStore, (nowMs: number, actionLogDays: number) => number>> = {
  things: (nowMs) => endOf(nowMs, dayMs) + hourMs,
  images: (nowMs) => endOf(nowMs, dayMs) + 30 * dayMs,
  log: (nowMs, actionLogDays) => endOfMonth(nowMs) + actionLogDays * dayMs,
  keyed: (nowMs) => endOf(nowMs, halfDayMs) + dayMs,
  keyless: (nowMs) => endOf(nowMs, hourMs),
  growth: (nowMs) => endOf(nowMs, hourMs),
};

const expiryOf = (store: ByteStore, nowMs: number, actionLogDays: number): string =>
  new Date(expiries[store](nowMs, actionLogDays)).toISOString();
