import { numberOfDigits } from "./fields.ts";

/**
 * A part of a sentence: our own words, a calendar date, or something that a caller sent. The last is shown in quotation
 * marks, so that a caller's words cannot pass for ours.
 */
export type Phrase = string | Readonly<{ date: string }> | Readonly<{ quoted: unknown }>;

/** The present names of a user's things, by the names of their rows such as `todos/5`. */
export type Names = Pick<ReadonlyMap<string, string>, "get">;

/** A call's arguments as they were sent: nothing in them may be relied on. */
export type SentArguments = Readonly<Record<string, unknown>>;

/**
 * The object of a read, as people see it in the log after “Looked at” or “Tried to look at”. The arguments are
 * unchecked.
 */
export type LooksAt = (args: SentArguments, names: Names) => readonly Phrase[];

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

export function idIn(args: SentArguments, name: string): number | undefined {
  const id = numberOfDigits(argument(args, name));
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

/** The argument between quotation marks, introduced by our words; nothing when it was not sent. */
export function quotedAfter(words: string, args: SentArguments, name: string): readonly Phrase[] {
  const quoted = argument(args, name);
  return quoted === undefined ? [] : [words, { quoted }];
}
