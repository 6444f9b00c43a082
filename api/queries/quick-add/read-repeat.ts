import { longestLine } from "../../../shared/domain/todo/quick-add-words.ts";
import { parseRecurrence } from "../../../shared/domain/todo/recurrence.ts";
import type { Clock } from "./clock.ts";
import { findRepeat } from "./repeat.ts";
import { findWhen } from "./when.ts";

type RepeatField = Readonly<{ rule: string; fromCompletion: boolean }>;

/** Reads a text that is a repetition and nothing else: in words, or as an RRULE. */
export function readRepeat(text: string, clock: Clock): RepeatField | Readonly<{ error: string }> {
  if (/freq=/i.test(text)) {
    const parsed = parseRecurrence(text);
    return "error" in parsed ? parsed : { rule: parsed.rule, fromCompletion: false };
  }
  if (text.length > longestLine) return notUnderstood;
  const { value: repeat, rest } = findRepeat(text);
  const when = findWhen(rest, clock, { hasRepeat: true });
  if (!repeat || when.rest.trim() !== "" || when.value?.date !== undefined || when.value?.time !== undefined)
    return notUnderstood;
  const rule = ruleUntil(repeat.rule, when.value?.until);
  return { rule, fromCompletion: repeat.fromCompletion };
}

const notUnderstood = {
  error: "This is not understood. Write it like: every Monday, every 2 weeks, every month on the 1st.",
};

/** A rule that ends on a day, unless it fits no day until then. */
export function ruleUntil(rule: string, until: string | undefined): string {
  if (until === undefined) return rule;
  const ending = parseRecurrence(`${rule};UNTIL=${until.replaceAll("-", "")}`);
  return "rule" in ending ? ending.rule : rule;
}
