import { Buffer } from "node:buffer";
import { LRUCache } from "lru-cache";
import { runAsOne } from "../../../shared/contracts/group/contracts.ts";
import { readStored } from "../../../shared/domain/action/cut-arguments.ts";
import type { Refused } from "../../../shared/errors.ts";
import type { Config } from "../../../shared/process/config.ts";
import type { Call, QueuedCommand } from "../../../shared/queue/batch.ts";
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
  /** Reads the kept bytes of these users, unless they are known and recent. */
  learn(connection: Queryable, userIds: readonly string[]): Promise<void>;
  /** @returns the refusal of a command that would store too much */
  refusal(userId: string, stores: Stores | undefined, nowMs: number): Refused | undefined;
  /**
   * Counts the bytes that a transaction stores, and adds changes of the ledger to its state.
   * @returns a function to call after the commit
   */
  count(state: State, commands: readonly QueuedCommand[], nowMs: number): () => void;
}>;

/** The kind of a command that adds to the kept bytes or undoes changes. All others run in a full account, too. */
export type Stores = "more" | "back";

/** Small changes are gathered until they are worth a statement. Those of a killed worker are measured later. */
const writeFrom = 16_384;
const maxKnown = 20_000;
/** A request's line and headers. */
const headerBytes = 500;
/** Stored bytes for each sent byte that do not count as growth: the row, the log's arguments and images, the reply. */
const storedForSent = 4;
/** An undo may exceed the limit for additions, but only by a bounded share, because it can be redone. */
const shares = { kept: { more: 1, back: 1.1 }, growth: { more: 1, back: 2 } };

export function createByteLedger({
  accountMegabytes,
  actionLogDays,
}: Pick<Config, "accountMegabytes" | "actionLogDays">): ByteLedger {
  const known = new LRUCache<string, KnownAccount>({ max: maxKnown });
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
      const changes = [...bytesByUser(state, commands)].map(([userId, bytes]) => {
        const all = sumOf(bytes, known.get(userId)?.unwritten ?? noBytes);
        const isWritten = Math.max(Math.abs(all.kept), all.growth) >= writeFrom;
        if (isWritten) addToLedger(state, userId, all, { nowMs, actionLogDays });
        return { userId, bytes, isWritten };
      });
      return () => {
        for (const change of changes) note(known.get(change.userId), change, hourOf(nowMs));
      };
    },
  };
}

const hourOf = (nowMs: number): number => Math.floor(nowMs / hourMs);

const growthIn = (account: KnownAccount, hour: number): number =>
  account.hour === hour ? account.growth : 0;

type Change = Readonly<{ bytes: Bytes; isWritten: boolean }>;

function note(account: KnownAccount | undefined, { bytes, isWritten }: Change, hour: number): void {
  if (!account) return;
  account.kept += bytes.kept;
  account.growth = growthIn(account, hour) + bytes.growth;
  account.hour = hour;
  account.unwritten = isWritten ? noBytes : sumOf(account.unwritten, bytes);
  // Other workers may have written as well.
  if (isWritten) account.trustedUntil = 0;
}

const byteStores = Object.keys(noBytes) as (keyof Bytes)[];

function sumOf(one: Readonly<Bytes>, other: Readonly<Bytes>): Bytes {
  const sum = { ...one };
  for (const store of byteStores) sum[store] += other[store];
  return sum;
}

/** @returns by user the bytes that a transaction stores; growth is all that is written, beyond what was sent */
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

/** The operations of a group share its headers. */
const sentBytes = ({ name, input, call }: QueuedCommand): number =>
  (call?.index === undefined ? headerBytes : 0) +
  (name === runAsOne.name && call ? bytesAsSent(call) : Buffer.byteLength(JSON.stringify(input ?? null)));

/** The changes of one call repeat what it sent once. */
const bytesAsSent = ({ arguments: sent }: Call): number =>
  readStored(sent).cut?.bytes ?? Buffer.byteLength(sent);

/** A row's header, numbers and times, and its entries in indexes. */
const bytesOfRow = 200;
/** Lists and JSON are short, so measuring them would take longer than loading them. */
const bytesOfList = 300;

/** @returns the bytes of a row, as `sqlBytes` counts them */
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

/** The same in SQL, on columns of the table. It reads no text, because PostgreSQL knows the length of each. */
export const sqlBytes = ({ texts, lists }: SizedColumns): string =>
  [
    bytesOfRow,
    ...texts.map((name) => `coalesce(octet_length(${name}), 0)`),
    ...lists.map((name) => `case when ${name} is null then 0 else ${bytesOfList} end`),
  ].join(" + ");
