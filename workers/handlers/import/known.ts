import type { ImportKeyRow } from "../../../shared/db/entities.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";

/** The things of a file that have an id here, by their keys. */
export type KnownThings = Readonly<{
  ids: Map<string, number>;
  /** True if the thing is not here yet. */
  isNew(thing: Readonly<{ key: string }>): boolean;
}>;

/** @throws Error for a thing that got no id in the first transaction */
export function idOfThing({ ids }: KnownThings, { key }: Readonly<{ key: string }>): number {
  const id = ids.get(key);
  if (id === undefined) throw new Error(`The thing ${key} of a file has no id.`);
  return id;
}

const idsByKey = (rows: readonly ImportKeyRow[]) => new Map(rows.map(({ key, id }) => [key, id]));

/** @param rows the keys of things that are here */
export function knownHere(rows: readonly ImportKeyRow[]): KnownThings {
  const here = new Set(rows.map(({ key }) => key));
  return { ids: idsByKey(rows), isNew: ({ key }) => !here.has(key) };
}

/** @param time the time of the import, which the keys of its new things have */
export function knownSince(rows: readonly ImportKeyRow[], time: string): KnownThings {
  const isOfImport = ({ created_at }: ImportKeyRow) => timestamp(created_at) === timestamp(time);
  const made = new Set(rows.filter(isOfImport).map(({ key }) => key));
  return { ids: idsByKey(rows), isNew: ({ key }) => made.has(key) };
}
