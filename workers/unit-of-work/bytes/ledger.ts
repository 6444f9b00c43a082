import { Buffer } from "node:buffer";
import type { Refused } from "../../../shared/errors.ts";
import type { Config } from "../../../shared/process/config.ts";
import type { QueuedCommand } from "../../../shared/queue/batch.ts";
import type { Queryable } from "../connection.ts";
import { type Entry, isTable, type State } from "../state.ts";
import type { SizedColumns, Table } from "../table.ts";
import { effects, isEffect } from "../tables.ts";
import {
  addToLedger,
  type Bytes,
  growsTooFast,
  growthOf,
  hourMs,
  type KnownAccount,
  keepsTooMuch,
  learnAccounts,
  noBytes,
} from "./account.ts";

/** The bytes that each account keeps, and their growth. The rules are in docs/decisions.md. */
export type ByteLedger = Readonly<{
  /** Learns what these users keep, unless that is known and can still be trusted. */
  learn(connection: Queryable, userIds: readonly string[]): Promise<void>;
  /** @returns why a command that stores so much more is refused */
  refusal(userId: string, stores: Stores | undefined, nowMs: number): Refused | undefined;
  /**
   * Counts what a transaction stores, and adds to its state what is to be written to the ledger.
   * @returns a function to call when it is committed
   */
  count(state: State, commands: readonly QueuedCommand[], nowMs: number): () => void;
}>;

/** The kind of a command that adds to the kept bytes or undoes changes. All others run in a full account, too. */
export type Stores = "more" | "back";

/** Small changes are gathered until they are worth a statement; those of a worker that is killed are measured later. */
const writeFrom = 16_384;
/** A request's line and headers. */
const headerBytes = 500;
/** Stored bytes for each sent byte that do not count as growth. */
const storedForSent = 3;
/** An undo may exceed the limit for additions, but only by a bounded share, because it can be redone. */
const shares = { kept: { more: 1, back: 1.1 }, growth: { more: 1, back: 2 } };

export function createByteLedger({
  accountMegabytes,
  actionLogDays,
}: Pick<Config, "accountMegabytes" | "actionLogDays">): ByteLedger {
  const known = new Map<string, KnownAccount>();
  const most = accountMegabytes > 0 ? accountMegabytes * 1_000_000 : Number.POSITIVE_INFINITY;
  const mostGrowth = growthOf(most);
  return {
    async learn(connection, userIds) {
      const now = performance.now();
      const asked = userIds.filter((userId) => !((known.get(userId)?.trustedUntil ?? 0) > now));
      if (asked.length > 0) await learnAccounts(connection, known, asked, most);
    },
    refusal(userId, stores, nowMs) {
      const account = known.get(userId);
      if (!stores || !account) return undefined;
      if (account.kept >= most * shares.kept[stores]) return keepsTooMuch(most);
      const isTooFast = growthIn(account, hourOf(nowMs)) >= mostGrowth * shares.growth[stores];
      return isTooFast ? growsTooFast(nowMs) : undefined;
    },
    count(state, commands, nowMs) {
      const used = bytesByUser(state, commands);
      const written = new Set<string>();
      for (const [userId, bytes] of used) {
        const all = sumOf(bytes, known.get(userId)?.unwritten ?? noBytes);
        if (Math.max(Math.abs(all.kept), all.growth) < writeFrom) continue;
        written.add(userId);
        addToLedger(state, userId, all, { nowMs, actionLogDays });
      }
      return () => {
        for (const [userId, bytes] of used) {
          const account = known.get(userId);
          if (account) note(account, bytes, hourOf(nowMs), written.has(userId));
        }
      };
    },
  };
}

const hourOf = (nowMs: number): number => Math.floor(nowMs / hourMs);

const growthIn = (account: KnownAccount, hour: number): number =>
  account.hour === hour ? account.growth : 0;

function note(account: KnownAccount, bytes: Bytes, hour: number, isWritten: boolean): void {
  account.kept += bytes.kept;
  account.growth = growthIn(account, hour) + bytes.growth;
  account.hour = hour;
  account.unwritten = isWritten ? noBytes : sumOf(account.unwritten, bytes);
  // Other workers may have written as well.
  if (isWritten) account.trustedUntil = 0;
}

const places = Object.keys(noBytes) as (keyof Bytes)[];

function sumOf(one: Readonly<Bytes>, other: Readonly<Bytes>): Bytes {
  const sum = { ...one };
  for (const place of places) sum[place] += other[place];
  return sum;
}

/** @returns by user what the changes of a transaction store; all that is written is growth, beyond what was sent */
function bytesByUser(state: State, commands: readonly QueuedCommand[]): Map<string, Bytes> {
  const users = new Map<string, Bytes>();
  for (const [name, entries] of state.entries)
    for (const entry of entries.values()) {
      if (entry.change === "none") continue;
      const userId = String(entry.key[0]);
      const bytes = users.get(userId) ?? { ...noBytes };
      users.set(userId, bytes);
      if (isTable(name)) addRow(bytes, state.tables[name], entry);
      else if (isEffect(name)) addEffect(bytes, effects[name], entry);
    }
  for (const command of commands) {
    const bytes = users.get(command.userId);
    if (bytes) bytes.growth -= storedForSent * sentBytes(command);
  }
  return users;
}

function addRow(bytes: Bytes, { bytes: kind, sized }: Table, { row, stored }: Entry): void {
  if (kind === "none") return;
  const isKeyed = row !== undefined && "keyed" in row && row.keyed === true;
  const written = row ? rowBytes(sized, row) : 0;
  const more = written - (stored ? rowBytes(sized, stored) : 0);
  bytes[kind !== "replies" ? kind : isKeyed ? "keyed" : "keyless"] += more;
  bytes.kept += more;
  bytes.growth += written;
}

/** An effect writes a row for each element of its lists. */
function addEffect(bytes: Bytes, { adds }: Readonly<{ adds?: true }>, { row = {} }: Entry): void {
  const lists = Object.values(row).filter((value) => Array.isArray(value));
  const written = bytesOfRow * Math.max(0, ...lists.map(({ length }) => length));
  bytes.growth += written;
  if (!adds) return;
  bytes.things += written;
  bytes.kept += written;
}

/** The operations of a batch share its headers. */
const sentBytes = ({ input, call }: QueuedCommand): number =>
  (call?.place === undefined ? headerBytes : 0) + Buffer.byteLength(JSON.stringify(input ?? null));

/** A row's header, numbers and times, and its entries in indexes. */
const bytesOfRow = 200;
/** Lists and JSON are short, and to see how short would take longer than to load them. */
const bytesOfList = 300;

/** @returns how many bytes a row takes, as `sqlBytes` counts it */
function rowBytes({ texts, lists }: SizedColumns, row: object): number {
  const values = row as Record<string, unknown>;
  let bytes = bytesOfRow;
  for (const name of texts) {
    const text = values[name];
    if (typeof text === "string") bytes += Buffer.byteLength(text);
  }
  for (const name of lists) if (values[name] != null) bytes += bytesOfList;
  return bytes;
}

/** The same in SQL, on columns of the table. No text is read for it, because PostgreSQL knows how long each is. */
export const sqlBytes = ({ texts, lists }: SizedColumns): string =>
  [
    bytesOfRow,
    ...texts.map((name) => `coalesce(octet_length(${name}), 0)`),
    ...lists.map((name) => `case when ${name} is null then 0 else ${bytesOfList} end`),
  ].join(" + ");
