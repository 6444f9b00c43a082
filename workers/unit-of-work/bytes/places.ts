import type { ByteKind } from "../../../shared/db/entities.ts";
import type { Entry, State, StateName } from "../state.ts";
import type { Table } from "../table.ts";
import { effects, isEffect, isView } from "../tables.ts";
import { changedBytes, effectBytes } from "./row-bytes.ts";

/** The places of bytes: their kinds in the ledger, but that replies go away after different times. */
const places = ["things", "images", "log", "keyed", "keyless", "growth"] as const;
type BytePlace = (typeof places)[number];
export type Bytes = Record<BytePlace, number>;

export const noBytes: Readonly<Bytes> = { things: 0, images: 0, log: 0, keyed: 0, keyless: 0, growth: 0 };

export const ledgerKindOf = (place: BytePlace): ByteKind =>
  place === "keyed" || place === "keyless" ? "replies" : place;

export const placesOf = (bytes: Bytes): [BytePlace, number][] => places.map((place) => [place, bytes[place]]);

/** @returns the bytes that are kept, without those that count as growth alone */
export const keptOf = ({ things, images, log, keyed, keyless }: Bytes): number =>
  things + images + log + keyed + keyless;

export function sumOf(one: Readonly<Bytes>, other: Readonly<Bytes>): Bytes {
  const sum = { ...one };
  for (const place of places) sum[place] += other[place];
  return sum;
}

/** @returns by user what the changes of a transaction store; all that is written is growth */
export function bytesByUser(state: State): Map<string, Bytes> {
  const users = new Map<string, Bytes>();
  for (const [name, entries] of state.entries)
    for (const entry of entries.values()) {
      if (entry.change === "none") continue;
      const userId = String(entry.key[0]);
      const bytes = users.get(userId) ?? { ...noBytes };
      addEntry(bytes, state, name, entry);
      users.set(userId, bytes);
    }
  return users;
}

function addEntry(bytes: Bytes, { tables }: State, name: StateName, entry: Entry): void {
  if (isView(name)) return;
  const isRow = !isEffect(name);
  const place = isRow ? placeOf(tables[name].bytes, entry) : "things";
  const { added, written } = isRow
    ? changedBytes(tables[name].sized, entry)
    : effectBytes(effects[name], entry);
  if (!place) return;
  bytes[place] += added;
  bytes.growth += written;
}

function placeOf(kind: Table["bytes"], { row }: Entry): BytePlace | undefined {
  if (kind === "none") return undefined;
  if (kind !== "replies") return kind;
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
