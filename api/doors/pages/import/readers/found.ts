import { createHash } from "node:crypto";
import type { ImportedKind, ImportedThings } from "../../../../../shared/contracts/import/things.ts";
import type { Today } from "../../../../../shared/domain/day/today.ts";

/** The id and time of creation that a thing of our own file had where the file was made. */
export type ExportedAs = Readonly<{ id: number; created_at: string }>;

export type FoundThing = {
  [Kind in ImportedKind]: Readonly<{ kind: Kind; thing: ImportedThings[Kind]; origin?: ExportedAs }>;
}[ImportedKind];

/** A thing as its file says it. The fields that it lacks are filled in when it is checked. */
export type ReadThing = {
  [Kind in ImportedKind]: Readonly<{ kind: Kind; thing: Said<ImportedThings[Kind]>; origin?: ExportedAs }>;
}[ImportedKind];
type Said<Thing> = Thing extends { key: string } ? Partial<Thing> & Pick<Thing, "key"> : Thing;

/** Something of a file that does not come, or not as a whole. */
export type Left = Readonly<{ kind: "left"; name: string; why: string }>;

/** Readers of files yield findings one by one, so that their caller can stop them. */
export type Finding = ReadThing | Left;

/** How many things of one upload are looked at: more than an account can have. Megabytes have room for millions of empty ones. */
export const mostFound = 60_000;

/** A name may be as long as its file, and the page shows the beginning of it. */
export const left = (name: string, why: string): Left => ({ kind: "left", name: name.slice(0, 255), why });

/** A file in words, as it was sent or was in an archive. */
export type TextFile = Readonly<{ name: string; text: string }>;

/** The person's day and zone: dates without a year, or times without a zone, are meant in them. */
export type ReadingContext = Readonly<{ today: Today }>;

/** What a thing is known by, so that the same file makes nothing twice. */
export const keyOf = (...parts: readonly (string | number)[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22);

/** Makes keys of things whose file gives them no ids: the second of two that are alike is another thing. */
export function createKeys(source: string): (...parts: readonly string[]) => string {
  const seen = new Map<string, number>();
  return (...parts) => {
    const same = keyOf(...parts);
    const count = seen.get(same) ?? 0;
    seen.set(same, count + 1);
    return keyOf(source, ...parts, count);
  };
}
