import { createHash } from "node:crypto";
import type { ImportedKind, ImportedThings } from "../../../../../shared/contracts/import/contracts.ts";
import type { Today } from "../../../../../shared/domain/day/day.ts";

/** The original id and time of creation, in an export by Kept. */
export type ExportedAs = Readonly<{ id: number; created_at: string }>;

export type FoundThing = {
  [Kind in ImportedKind]: Readonly<{ kind: Kind; thing: ImportedThings[Kind]; origin?: ExportedAs }>;
}[ImportedKind];

/** A thing as its file has it. The check fills in the missing fields. */
export type ReadThing = {
  [Kind in ImportedKind]: Readonly<{ kind: Kind; thing: Said<ImportedThings[Kind]>; origin?: ExportedAs }>;
}[ImportedKind];
type Said<Thing> = Thing extends { key: string } ? Partial<Thing> & Pick<Thing, "key"> : Omit<Thing, "id">;

/** Something in a file that is not imported, or not whole. */
export type Left = Readonly<{ kind: "left"; name: string; why: string }>;

/** Readers yield findings one by one, so that their caller can stop them. */
export type Finding = ReadThing | Left;

/**
 * The most things read of one upload: more than an account can have, because megabytes could hold millions of empty
 * ones.
 */
export const mostFound = 60_000;

/** A name may be as long as its file; the page shows its beginning. */
export const left = (name: string, why: string): Left => ({ kind: "left", name: name.slice(0, 255), why });

/** A text file, uploaded directly or within an archive, which tells the year in which it was made. */
export type TextFile = Readonly<{ name: string; text: string; year?: number | undefined }>;

/** The person's day and zone, for dates without a year and times without a zone. */
export type ReadingContext = Readonly<{ today: Today }>;

/** The identity of a thing, so that the same file makes nothing twice. */
export const keyOf = (...parts: readonly (string | number)[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22);

/** Makes keys of things without ids: the second of two equal things gets a key of its own. */
export function createKeys(source: string): (...parts: readonly string[]) => string {
  const seen = new Map<string, number>();
  return (...parts) => {
    const same = keyOf(...parts);
    const count = seen.get(same) ?? 0;
    seen.set(same, count + 1);
    return keyOf(source, ...parts, count);
  };
}

/** The number of rows that a history becomes. */
export const sizeOfHistory = ({ dates, sums }: Pick<ImportedThings["histories"], "dates" | "sums">): number =>
  dates.length + (sums?.length ?? 0);
