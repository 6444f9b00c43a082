import type { ByteKind } from "../../../shared/db/entities.ts";
import type { State } from "../state.ts";
import type { TableMap, TableName } from "../table.ts";
import { changedBytes } from "./row-bytes.ts";

/** The places of bytes: their kinds in the ledger, but that replies go away after different times. */
type BytePlace = Exclude<ByteKind, "replies"> | "keyed" | "keyless";
export type Bytes = Partial<Record<BytePlace, number>>;

export const ledgerKindOf = (place: BytePlace): ByteKind =>
  place === "keyed" || place === "keyless" ? "replies" : place;

export const placesOf = (bytes: Bytes): [BytePlace, number][] =>
  Object.entries(bytes) as [BytePlace, number][];

/** @returns the bytes that are kept, without those that count as growth alone */
export const keptOf = ({ growth: _, ...kept }: Bytes): number =>
  Object.values(kept).reduce((sum, bytes) => sum + bytes, 0);

export function sumOf(one: Bytes, other: Bytes): Bytes {
  const sum: Bytes = { ...one };
  for (const [place, bytes] of placesOf(other)) sum[place] = (sum[place] ?? 0) + bytes;
  return sum;
}

/** @returns by user what the changes of a transaction store; all that is written is growth */
export function bytesByUser(tables: TableMap, state: State): Map<string, Bytes> {
  const users = new Map<string, Bytes>();
  for (const [name, { entries }] of Object.entries(state) as [TableName, State[TableName]][])
    for (const entry of entries.values()) {
      if (entry.change === "none") continue;
      const userId = String(entry.key[0]);
      const { added, written } = changedBytes(tables[name], entry);
      const bytes = users.get(userId) ?? {};
      const place = placeOf(name, entry.row);
      bytes[place] = (bytes[place] ?? 0) + added;
      bytes.growth = (bytes.growth ?? 0) + written;
      users.set(userId, bytes);
    }
  return users;
}

function placeOf(name: TableName, row: object | undefined): BytePlace {
  if (name === "action_log") return "log";
  if (name === "action_images") return "images";
  if (name !== "inbox") return "things";
  return row && "keyed" in row && row.keyed === true ? "keyed" : "keyless";
}

export const hourMs = 3_600_000;
const halfDayMs = 12 * hourMs;
const dayMs = 2 * halfDayMs;

const endOf = (nowMs: number, stepMs: number): number => (Math.floor(nowMs / stepMs) + 1) * stepMs;

function endOfMonth(nowMs: number): number {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
}

/** When the partition of what is stored now is dropped; for things, when their account is due to be measured. */
const expiries: Readonly<Record<BytePlace, (nowMs: number, actionLogDays: number) => number>> = {
  things: (nowMs) => endOf(nowMs, dayMs) + hourMs,
  images: (nowMs) => endOf(nowMs, dayMs) + 30 * dayMs,
  log: (nowMs, actionLogDays) => endOfMonth(nowMs) + actionLogDays * dayMs,
  keyed: (nowMs) => endOf(nowMs, halfDayMs) + dayMs,
  keyless: (nowMs) => endOf(nowMs, hourMs),
  growth: (nowMs) => endOf(nowMs, hourMs),
};

export const expiryOf = (place: BytePlace, nowMs: number, actionLogDays: number): string =>
  new Date(expiries[place](nowMs, actionLogDays)).toISOString();
