import { numberOfDigits } from "./fields.ts";
import { isCalendarDate } from "./text.ts";

/**
 * A part of a sentence: our own words, a calendar date, or something that a caller sent. The last is shown in quotation
 * marks, so that a caller's words cannot pass for ours.
 */
export type Phrase = string | Readonly<{ date: string }> | Readonly<{ quoted: unknown }>;

/** The things that a call is about, with the verb for a call that succeeded and for one that was refused. */
export type Sentence = Readonly<{ done: string; tried: string; object: readonly Phrase[] }>;

/** A sentence of its verb, for both ends of the call, and the phrases of what it is about. */
export const said = (done: string, tried: string, ...object: readonly Phrase[]): Sentence => ({
  done,
  tried,
  object,
});

/** The present names of a user's habits and titles of their todos, by id. */
export type Names = Readonly<{ habits: ReadonlyMap<number, string>; todos: ReadonlyMap<number, string> }>;

/** A call's arguments as they were sent: nothing in them may be relied on. */
export type SentArguments = Readonly<Record<string, unknown>>;

/** Hosts in strict mode send every argument, and these values for one that is not given. */
const isEmpty = (value: unknown): boolean =>
  value === null ||
  (typeof value === "string" && value.trim() === "") ||
  (Array.isArray(value) && value.length === 0);

/** @returns the arguments without those that count as not given */
export const givenIn = (args: SentArguments): Record<string, unknown> =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => !isEmpty(value)));

/** @returns undefined when the argument was not given, also when every object has a property of that name */
export const argument = (args: SentArguments, name: string): unknown =>
  Object.hasOwn(args, name) && !isEmpty(args[name]) ? args[name] : undefined;

const isGiven = (args: SentArguments, name: string): boolean => argument(args, name) !== undefined;

export function idIn(args: SentArguments, name: string): number | undefined {
  const id = numberOfDigits(argument(args, name));
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

/** The argument between quotation marks. */
export const quoted = (args: SentArguments, name: string): Phrase => ({ quoted: argument(args, name) });

/** The argument between quotation marks, introduced by our words; nothing when it was not sent. */
export const quotedAfter = (words: string, args: SentArguments, name: string): readonly Phrase[] =>
  isGiven(args, name) ? [words, quoted(args, name)] : [];

/** A habit or todo by its present name, or by its number once it is gone. */
export function named(
  noun: "habit" | "todo",
  id: number | undefined,
  names: ReadonlyMap<number, string>,
): readonly Phrase[] {
  const name = id === undefined ? undefined : names.get(id);
  return name === undefined
    ? [`the ${noun} ${id ?? "without a number"}`]
    : [`the ${noun} `, { quoted: name }];
}

/** The date that was sent as an argument, introduced by our words; nothing when none was sent. */
export function dateAfter(words: string, args: SentArguments, name: string): readonly Phrase[] {
  if (!isGiven(args, name)) return [];
  const date = argument(args, name);
  return [words, typeof date === "string" && isCalendarDate(date) ? { date } : { quoted: date }];
}

/** The due date that was sent, introduced by our words; nothing when none was sent. */
export const dueAfter = (words: string, args: SentArguments): readonly Phrase[] =>
  dateAfter(words, args, "due_date");
