import type { Rules, Schedule } from "../../../../shared/domain/habit/schedule.ts";
import type { TimeOfDay } from "../../../../shared/domain/vocabulary.ts";
import type { Clock } from "./clock.ts";

/** A time on a clock. It is open if it does not name the half of the day, as `at 5` does. */
export type Hour = Readonly<{ hour: number; minute: number; isOpen?: boolean; zone?: string | undefined }>;

export type RhythmFields = Pick<Rules, "frequency"> & Readonly<{ schedule: Schedule | null }>;

/** The fields that the words of a line set. */
export type Said = Readonly<{
  date?: string | undefined;
  hour?: Hour;
  minutes?: number;
  part?: TimeOfDay | undefined;
  /** A normalised rule. */
  rule?: string;
  fromCompletion?: true;
  /** A number of times in each week, which only a habit has. */
  rhythm?: RhythmFields;
  /** The last day of a repetition. */
  until?: string | undefined;
  /** The time that a repetition lasts. */
  lasts?: Temporal.DurationLike;
  /** The number of times in a repetition. */
  count?: number;
  category?: string;
  context?: string;
  isImportant?: true;
  remindHour?: Hour;
  /** Minutes from the reminder to the due time. */
  remindBefore?: number;
  asksReminder?: true;
}>;

/**
 * The position at which words are a phrase. A whole phrase (`on Friday`) counts at both ends of a line and before
 * joining words, a mark (`#Home`) anywhere, a bare one (`Friday`) at the end, and one `beside` others only next to
 * them. An offered phrase is only asked about.
 */
type Manner = "whole" | "mark" | "bare" | "beside" | "offered";

export type Reading = Readonly<{
  says: Said;
  manner: Manner;
  /** Other meanings of the same words. */
  or?: readonly Said[];
  /** True for a phrase that becomes a question when it is not taken. */
  isAsked?: boolean;
  /** True for words that stay in the title even when they count, such as `weekly` in `weekly report`. */
  stays?: boolean;
}>;

export type LinePhrase = Reading & Readonly<{ start: number; end: number }>;

/** A form of words and its meaning; undefined for a chance match. */
export type Recogniser = Readonly<{
  pattern: RegExp;
  read(found: RegExpExecArray, clock: Clock): Reading | undefined;
}>;

/** A pattern of whole words outside numbers, names, amounts and addresses. */
export const wordsLike = (source: string): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}_$€£/#@+~-]|[\\p{L}\\p{N}][.:'’])(?:${source})(?![\\p{L}\\p{N}_%]|[-–'’/:.][\\p{L}\\p{N}])`,
    "giu",
  );

/** Longest names first, because the first match wins. */
export const wordChoice = (names: Iterable<string>): string =>
  Array.from(names)
    .toSorted((one, other) => other.length - one.length)
    .join("|");

export const recognise = (
  recognisers: readonly Recogniser[],
  line: string,
  clock: Clock,
): readonly LinePhrase[] =>
  recognisers.flatMap(({ pattern, read }) =>
    Array.from(line.matchAll(pattern)).flatMap((found) => {
      const reading = read(found, clock);
      return reading ? [{ ...reading, start: found.index, end: found.index + found[0].length }] : [];
    }),
  );
