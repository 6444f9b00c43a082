import { numberOfDigits } from "./fields.ts";
import { isCalendarDate } from "./text.ts";

/**
 * A part of a sentence: Kept's own words, a calendar date, or a text that a caller sent. That text stands in
 * quotation marks, so it cannot pass for Kept's words.
 */
export type Phrase = string | Readonly<{ date: string }> | Readonly<{ quoted: unknown }>;

/** The present names of a user's things, by the names of their rows such as `todos/5`. */
export type Names = Pick<ReadonlyMap<string, string>, "get">;

/** A call's arguments as sent: they are unchecked. */
export type SentArguments = Readonly<Record<string, unknown>>;

/**
 * The object of a read, as people see it in the log after “Looked at” or “Tried to look at”. The arguments are
 * unchecked.
 */
export type LooksAt = (args: SentArguments, names: Names) => readonly Phrase[];

/** Hosts in strict mode send every argument, with one of these values for an absent one. */
const isEmpty = (value: unknown): boolean =>
  value === null ||
  (typeof value === "string" && value.trim() === "") ||
  (Array.isArray(value) && value.length === 0);

/** @returns the arguments without absent ones */
export const givenIn = (args: SentArguments): Record<string, unknown> =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => !isEmpty(value)));

/** @returns undefined for an absent argument, also if every object has a property of that name */
export const argument = (args: SentArguments, name: string): unknown =>
  Object.hasOwn(args, name) && !isEmpty(args[name]) ? args[name] : undefined;

export function idIn(args: SentArguments, name: string): number | undefined {
  const id = numberOfDigits(argument(args, name));
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

/** The argument in quotation marks after some words; nothing if it is absent. */
export function quotedAfter(words: string, args: SentArguments, name: string): readonly Phrase[] {
  const quoted = argument(args, name);
  return quoted === undefined ? [] : [words, { quoted }];
}

/** The argument as a date after some words; in quotation marks if it is no date. */
export function dateAfter(words: string, args: SentArguments, name: string): readonly Phrase[] {
  const date = argument(args, name);
  const isDate = typeof date === "string" && isCalendarDate(date);
  return isDate ? [words, { date }] : quotedAfter(words, args, name);
}
