import type { ImportedKind, ImportedThings } from "../../../shared/contracts/import/contracts.ts";
import type { ImportKeyRow, ImportPartRow } from "../../../shared/db/entities.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { HandlerContext, LoadedTables } from "../handler.ts";

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

type Clock = Pick<HandlerContext, "now" | "nowMs">;
type Times = Readonly<{ created_at: string | null; updated_at: string | null }>;

/** Times of creation and last change in the file; times in the future become the present. */
export function timesOf(context: Clock, { created_at, updated_at }: Times) {
  const made = notInFuture(context, created_at);
  return { created_at: made, updated_at: updated_at === null ? made : notInFuture(context, updated_at) };
}

/** @returns the time in the file; the present if it is missing, in the future or before all computers */
export function notInFuture({ now, nowMs }: Clock, time: string | null): string {
  const ms = Date.parse(time ?? "");
  return time !== null && ms >= 0 && ms <= nowMs ? time : now;
}

/** The parts of one file, in their order. */
export const stagedParts = (
  { importParts }: Pick<LoadedTables, "importParts">,
  { import_id }: Readonly<{ import_id: string }>,
): ImportPartRow[] =>
  importParts
    .all()
    .filter((row) => row.import_id === import_id)
    .sort((one, other) => one.part - other.part);

/** The things of a kind, as the reader of files has checked them. */
export const stagedThings = <Kind extends ImportedKind>(
  parts: readonly ImportPartRow[],
  kind: Kind,
): ImportedThings[Kind][] =>
  parts.filter((row) => row.kind === kind).flatMap((row): ImportedThings[Kind][] => JSON.parse(row.content));

/** The keys of the things of a kind, without parsing these. */
export const keysOf = (parts: readonly ImportPartRow[], kind: ImportedKind): string[] =>
  parts.flatMap((row) => (row.kind === kind ? row.keys : []));

/** Characters of JSON from which a worker makes things in some 10 ms. */
const lengthOfStep = 50_000;

/**
 * Groups the parts after the categories into steps. A habit comes with its whole history, which for
 * `maxImported.completions` takes 40 ms.
 */
export function inSteps(parts: readonly ImportPartRow[]): ImportPartRow[][] {
  const steps: ImportPartRow[][] = [];
  let room = 0;
  for (const part of parts.filter(({ kind }) => kind !== "categories")) {
    if (part.kind !== "histories" && part.content.length > room) {
      steps.push([]);
      room = lengthOfStep;
    }
    steps.at(-1)?.push(part);
    room -= part.content.length;
  }
  return steps;
}
