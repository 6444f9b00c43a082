import { Buffer } from "node:buffer";
import { type Refused, refuse } from "../../../shared/errors.ts";
import type { Config } from "../../../shared/process/config.ts";
import type { QueuedCommand } from "../../../shared/queue/batch.ts";
import type { Queryable } from "../connection.ts";
import { ownRows, type State } from "../state.ts";
import {
  type Bytes,
  bytesByUser,
  expiryOf,
  hourMs,
  keptOf,
  ledgerKindOf,
  noBytes,
  placesOf,
  sumOf,
} from "./count.ts";

/** How many bytes each account keeps, and how fast they grow. The rules are in docs/decisions.md. */
export type ByteLedger = Readonly<{
  /** Learns what these users keep, unless that is known and can still be trusted. */
  learn(connection: Queryable, userIds: readonly string[]): Promise<void>;
  /** Begins to count what one transaction stores. @param nowMs PostgreSQL's clock */
  open(commands: readonly QueuedCommand[], nowMs: number): ByteUses;
}>;

/** The bytes that one transaction stores. Only its commit counts. */
export type ByteUses = Readonly<{
  /** @returns why a command that stores so much more is refused */
  refusal(userId: string, stores: Stores | undefined): Refused | undefined;
  /** Adds to the state what is to be written to the ledger. */
  note(state: State): void;
  committed(): void;
}>;

/** Whether a command adds to what is kept, or takes changes back. All others are carried out in a full account, too. */
export type Stores = "more" | "back";

type Known = Readonly<{
  kept: number;
  growth: number;
  /** The hour (since 1970) of that growth. */
  hour: number;
  trustedUntil: number;
  /** Bytes that the ledger does not have yet. */
  unwritten: Readonly<Bytes>;
}>;

/** Small changes are gathered until they are worth a statement; those of a worker that is killed are measured later. */
const writeFrom = 16_384;
const trustedMs = { withRoom: 60_000, full: 1_000 };
const maxKnown = 20_000;
/** A request's line and headers. */
const headerBytes = 500;
/** As much may be stored for a byte that was sent before it counts as growth. */
const storedForSent = 3;
/** Taking back goes on where adding does not, but not for ever: what is taken back can be done again. */
const shares = { kept: { more: 1, back: 1.1 }, growth: { more: 1, back: 2 } };

type Settings = Readonly<{ most: number; actionLogDays: number }>;

export function createByteLedger({
  accountMegabytes,
  actionLogDays,
}: Pick<Config, "accountMegabytes" | "actionLogDays">): ByteLedger {
  const known = new Map<string, Known>();
  const most = accountMegabytes > 0 ? accountMegabytes * 1_000_000 : Number.POSITIVE_INFINITY;
  return {
    async learn(connection, userIds) {
      const now = performance.now();
      const asked = userIds.filter((userId) => !((known.get(userId)?.trustedUntil ?? 0) > now));
      if (asked.length === 0) return;
      for (const { user_id, ...stored } of await readLedger(connection, asked)) {
        const unwritten = known.get(user_id)?.unwritten ?? noBytes;
        const kept = stored.kept + keptOf(unwritten);
        const growth = stored.growth + unwritten.growth;
        const isFull = kept >= most || growth >= growthOf(most);
        const trustedUntil = now + trustedMs[isFull ? "full" : "withRoom"];
        known.set(user_id, { kept, growth, hour: stored.hour, trustedUntil, unwritten });
      }
      for (const userId of known.keys()) {
        if (known.size <= maxKnown) break;
        known.delete(userId);
      }
    },
    open: (commands, nowMs) => openUses(known, { most, actionLogDays }, commands, nowMs),
  };
}

/** The growth of an account in an hour that goes beyond its requests. */
const growthOf = (most: number): number => most / 10;

function openUses(
  known: Map<string, Known>,
  { most, actionLogDays }: Settings,
  commands: readonly QueuedCommand[],
  nowMs: number,
): ByteUses {
  const hour = Math.floor(nowMs / hourMs);
  const growthIn = (account: Known): number => (account.hour === hour ? account.growth : 0);
  let used = new Map<string, Bytes>();
  const written = new Set<string>();
  return {
    refusal(userId, stores) {
      const account = known.get(userId);
      if (!stores || !account) return undefined;
      if (account.kept >= most * shares.kept[stores]) return keepsTooMuch(most);
      return growthIn(account) >= growthOf(most) * shares.growth[stores]
        ? growsTooFast(Math.ceil((hourMs - (nowMs % hourMs)) / 1_000))
        : undefined;
    },
    note(state) {
      used = bytesByUser(state);
      for (const command of commands) {
        const bytes = used.get(command.userId);
        if (bytes) bytes.growth -= storedForSent * sentBytes(command);
      }
      for (const [userId, bytes] of used) {
        const all = sumOf(bytes, known.get(userId)?.unwritten ?? noBytes);
        if (Math.max(Math.abs(keptOf(all)), all.growth) < writeFrom) continue;
        written.add(userId);
        const rows = ownRows(state, "byte_ledger", userId);
        for (const [place, count] of placesOf(all)) {
          const [kind, expires_at] = [ledgerKindOf(place), expiryOf(place, nowMs, actionLogDays)];
          const before = rows.get(kind, expires_at)?.bytes ?? 0;
          if (count !== 0) rows.upsert({ kind, expires_at, bytes: before + count });
        }
      }
    },
    committed() {
      for (const [userId, bytes] of used) {
        const account = known.get(userId);
        if (!account) continue;
        const isWritten = written.has(userId);
        known.set(userId, {
          kept: account.kept + keptOf(bytes),
          growth: growthIn(account) + bytes.growth,
          hour,
          // Other workers may have written as well.
          trustedUntil: isWritten ? 0 : account.trustedUntil,
          unwritten: isWritten ? noBytes : sumOf(account.unwritten, bytes),
        });
      }
    },
  };
}

/** The operations of a batch share its headers. */
const sentBytes = ({ input, call }: QueuedCommand): number =>
  (call?.place === undefined ? headerBytes : 0) + Buffer.byteLength(JSON.stringify(input ?? null));

const keepsTooMuch = (most: number): Refused =>
  refuse("quota", `Your account keeps ${most / 1_000_000} MB, the most that it may`, {
    next: "delete what is not needed and forget it on the page Actions, because deleted things stay in the history for 30 days.",
  });

const growsTooFast = (seconds: number): Refused =>
  refuse("quota", "Your account stored too much in this hour", {
    next: `wait ${seconds} seconds, or change less by one request.`,
    retryAfterSeconds: seconds,
  });

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
