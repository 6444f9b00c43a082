import { createHash } from "node:crypto";
import type { ImportedKind, ImportedThings } from "../../../../shared/contracts/import-things.ts";
import type { Today } from "../../../../shared/domain/today.ts";

/** The id and time of creation that a thing of our own file had where the file was made. */
export type ExportedAs = Readonly<{ id: number; created_at: string }>;

export type FoundThing = {
  [Kind in ImportedKind]: Readonly<{ kind: Kind; thing: ImportedThings[Kind]; origin?: ExportedAs }>;
}[ImportedKind];

/** Something of a file that does not come, or not as a whole. */
export type Left = Readonly<{ kind: "left"; name: string; why: string }>;

/** Readers of files yield findings one by one, so that their caller can stop them. */
export type Finding = FoundThing | Left;

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

/** Fields of a todo that most files say nothing about. */
export const plainTodo = {
  description: null,
  due_date: null,
  time_of_day: null,
  estimated_minutes: null,
  context: null,
  category: null,
  is_completed: false,
  completed_at: null,
  completed_on: null,
  recurrence: null,
  recurrence_from: "due",
  recurrence_anchor: null,
  next: null,
  reminder: null,
  created_at: null,
  updated_at: null,
} as const;

export const plainCategory = { color: null, icon: null, created_at: null, updated_at: null } as const;

/** As many missed days as a new habit forgives that is made here. */
export const plainHabit = {
  type: "good",
  frequency: "daily",
  schedule: null,
  time_of_day: null,
  description: null,
  grace_days: 1,
  category: null,
  created_at: null,
  updated_at: null,
} as const;
