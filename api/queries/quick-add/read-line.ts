import type { Clock } from "./forms/clock.ts";
import { days } from "./forms/days.ts";
import { otherMarks } from "./forms/marks.ts";
import { type LinePhrase, recognise, type Said } from "./forms/phrase.ts";
import { reminders } from "./forms/reminders.ts";
import { repeatsIn } from "./forms/repeat.ts";
import { rhythmOfRule, rhythms } from "./forms/rhythm.ts";
import { times } from "./forms/times.ts";
import { type Taken, take } from "./take.ts";

const recognisers = [...reminders, ...rhythms, ...times, ...days, ...otherMarks];

/** A line, and the fields that its phrases set together. */
export type ReadLine = Taken & Readonly<{ says: Said }>;

/** Reads the phrases for the fields of a todo or a habit. */
export function readLine(line: string, clock: Clock, kind: "todo" | "habit" | "any"): ReadLine {
  const phrases = [...repeatsIn(line), ...joined(line, recognise(recognisers, line, clock))];
  return takeMet(
    line,
    phrases.filter(kind === "habit" ? isOfHabit : kind === "todo" ? isOfTodo : () => true),
  );
}

const isOfTodo = ({ says }: LinePhrase): boolean => says.rhythm === undefined;

const habitFields: readonly string[] = [
  "rule",
  "rhythm",
  "part",
  "category",
  "hour",
  "remindHour",
  "asksReminder",
];

const isOfHabit = ({ says, manner }: LinePhrase): boolean =>
  manner !== "offered" &&
  Object.keys(says).every((field) => habitFields.includes(field)) &&
  (says.rule === undefined || rhythmOfRule(says.rule) !== undefined);

/** `Friday or Saturday` and `today or tomorrow` are one phrase with a choice. */
function joined(line: string, phrases: readonly LinePhrase[]): readonly LinePhrase[] {
  const choices = phrases.flatMap((one) =>
    phrases
      .filter((other) => one.says.date && other.says.date && /^ or $/i.test(line.slice(one.end, other.start)))
      .map((other): LinePhrase => ({ ...one, end: other.end, or: [...(one.or ?? []), other.says] })),
  );
  return [...phrases, ...choices];
}

/** Drops phrases that need a missing one: an end without a repetition, a reminder without a day. */
function takeMet(line: string, phrases: readonly LinePhrase[]): ReadLine {
  const taken = take(line, phrases);
  const says: Said = Object.assign({}, ...taken.phrases.map((phrase) => phrase.says));
  const unmet = taken.phrases.filter((phrase) => !isMet(phrase.says, says));
  if (unmet.length === 0) return { ...taken, says };
  return takeMet(
    line,
    phrases.filter((phrase) => !unmet.includes(phrase)),
  );
}

const minutesOfDay = 24 * 60;

function isMet(one: Said, all: Said): boolean {
  const hasDay = all.date !== undefined || all.rule !== undefined;
  if (one.until ?? one.lasts ?? one.count) return all.rule !== undefined;
  if (one.remindBefore !== undefined)
    return all.hour !== undefined || (hasDay && one.remindBefore >= minutesOfDay);
  return one.asksReminder === undefined || hasDay || all.hour !== undefined;
}
