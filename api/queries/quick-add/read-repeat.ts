import { longestLine } from "../../../shared/domain/todo/quick-add-words.ts";
import { parseRecurrence } from "../../../shared/domain/todo/recurrence.ts";
import { fieldsSaid } from "./fields.ts";
import type { Clock } from "./forms/clock.ts";
import { readLine } from "./read-line.ts";

type RepeatField = Readonly<{ rule: string; fromCompletion: boolean }>;

const ofRepeat: readonly string[] = ["rule", "fromCompletion", "until", "lasts", "count"];

/** Reads a text that holds only a repetition, in words or as an RRULE. */
export function readRepeat(text: string, clock: Clock): RepeatField | Readonly<{ error: string }> {
  if (/freq=/i.test(text)) {
    const parsed = parseRecurrence(text);
    return "error" in parsed ? parsed : { rule: parsed.rule, fromCompletion: false };
  }
  if (text.length > longestLine) return notUnderstood;
  const { title, says } = readLine(text, clock, "todo");
  const { recurrence } = fieldsSaid(says, text, clock);
  const isMore = title !== "" || Object.keys(says).some((field) => !ofRepeat.includes(field));
  return recurrence === null || isMore
    ? notUnderstood
    : { rule: recurrence, fromCompletion: says.fromCompletion === true };
}

const notUnderstood = {
  error: "Kept does not understand this. Write it like: every Monday, every 2 weeks, every month on the 1st.",
};
