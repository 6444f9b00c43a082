import { Buffer } from "node:buffer";
import type { ByteKind } from "../../../shared/db/entities.ts";
import type { Entry, State, StateName } from "../state.ts";
import type { SizedColumns, Table } from "../table.ts";
import { effectNames, effects, tableNames } from "../tables.ts";

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
  const bytesOf = ({ key }: Entry): Bytes => {
    const bytes = users.get(String(key[0])) ?? { ...noBytes };
    users.set(String(key[0]), bytes);
    return bytes;
  };
  for (const name of tableNames)
    for (const entry of changesOf(state, name)) addRow(bytesOf(entry), state.tables[name], entry);
  for (const name of effectNames)
    for (const entry of changesOf(state, name)) addEffect(bytesOf(entry), effects[name], entry);
  return users;
}

const changesOf = ({ entries }: State, name: StateName): Entry[] =>
  [...(entries.get(name)?.values() ?? [])].filter(({ change }) => change !== "none");

function addRow(bytes: Bytes, { bytes: kind, sized }: Table, { row, stored }: Entry): void {
  if (kind === "none") return;
  const isKeyed = row !== undefined && "keyed" in row && row.keyed === true;
  const place = kind !== "replies" ? kind : isKeyed ? "keyed" : "keyless";
  const written = row ? rowBytes(sized, row) : 0;
  bytes[place] += written - (stored ? rowBytes(sized, stored) : 0);
  bytes.growth += written;
}

/** An effect writes a row for each element of its lists. */
function addEffect(bytes: Bytes, { adds }: Readonly<{ adds?: true }>, { row = {} }: Entry): void {
  const lists = Object.values(row).filter((value) => Array.isArray(value));
  const written = bytesOfRow * Math.max(0, ...lists.map(({ length }) => length));
  if (adds) bytes.things += written;
  bytes.growth += written;
}

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
