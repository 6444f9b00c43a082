import { partsOfDay } from "../../../shared/domain/todo/quick-add-words.ts";
import type { Clock } from "./forms/clock.ts";
import { days } from "./forms/days.ts";
import { hourOf } from "./forms/hours.ts";
import { type LinePhrase, type Recogniser, recognise, type Said, wordsLike } from "./forms/phrase.ts";
import { repeatsIn } from "./forms/repeat.ts";
import { rhythmOfRule, rhythms } from "./forms/rhythm.ts";
import { amount, numberSaid, spanOf } from "./forms/spans.ts";
import { times } from "./forms/times.ts";
import { type Taken, take } from "./take.ts";

const mark = (sign: "#" | "@", field: "category" | "context"): Recogniser => ({
  pattern: new RegExp(`(?<=^|[\\s(])${sign}(?:"([^"]*[^"\\s][^"]*)"|(\\p{L}[^\\s"]*(?<![.,;:!?)])))`, "gu"),
  read: ([, quoted, word = ""]) => ({ says: { [field]: (quoted ?? word).trim() }, manner: "mark" }),
});

/** A mark of its own word; `Hurry!` stays a title. */
const importance: Recogniser = {
  pattern: /(?<=^|\s)(?:!{1,3}|!!1|p1)(?=\s|$)/gi,
  read: () => ({ says: { isImportant: true }, manner: "mark" }),
};

const mostMinutes = 100_000;

/** `10min`, `2h`, `1h30`, `1.5 hours`, `for 2 hours`; but neither `every 2 hours` nor `2 hours ago`. */
const minutes: Recogniser = {
  pattern: wordsLike(
    "(?<!\\b(?:in|every|after|within|last|next|past|ev) )(?<for>for )?~?(?:(?<hours>\\d{1,3}(?:\\.\\d)?|(?<=for )an) ?h(?:rs?|ours?)?(?: ?(?<rest>\\d{1,2})(?: ?min)?)?|(?<minutes>\\d{1,5}) ?min(?:ute)?s?)(?! (?:ago|later|before|after|from)\\b)",
  ),
  read({ groups = {} }) {
    const hours = groups.hours === "an" ? 1 : Number(groups.hours ?? 0);
    const value = Math.round(60 * hours) + Number(groups.rest ?? groups.minutes ?? 0);
    if (value < 1 || value > mostMinutes) return undefined;
    return { says: { minutes: value }, manner: groups.for ? "whole" : "bare" };
  },
};

/** `in the morning`; other parts of the day belong to a day or to a repetition. */
const part: Recogniser = {
  pattern: wordsLike("in the (morning|afternoon|evening)s?|at night"),
  read: ([, name = "night"]) => ({ says: { part: partsOfDay.get(name.toLowerCase()) }, manner: "whole" }),
};

/** The end of a repetition, `for 6 weeks` or `5 times`. */
const ends: readonly Recogniser[] = [
  {
    pattern: wordsLike(`for (?:the next )?${amount}`),
    read: ({ groups = {} }) => ({ says: { lasts: spanOf(groups.many, groups.unit) }, manner: "whole" }),
  },
  {
    pattern: wordsLike("(?:for )?([1-9]\\d{0,2}) times"),
    read: ([, many]) => ({ says: { count: numberSaid(many) }, manner: "whole" }),
  },
];

const otherMarks: readonly Recogniser[] = [
  mark("#", "category"),
  mark("@", "context"),
  importance,
  minutes,
  part,
  ...ends,
];

const remind = "(?:and )?(?:(?:please )?remind me|reminder|with a reminder)";

const minutesOf: Readonly<Record<string, number | undefined>> = { m: 1, h: 60, d: 1_440, w: 10_080 };

/** Phrases that ask for a reminder. */
const reminders: readonly Recogniser[] = [
  {
    pattern: wordsLike(`${remind}(?: to| that| about| of)?`),
    read: () => ({ says: { asksReminder: true }, manner: "whole" }),
  },
  {
    pattern: wordsLike(
      `${remind} (?:at|@) ?(?<hour>\\d{1,2})(?::(?<minute>\\d\\d))?(?: ?(?<half>[ap])(?:\\.m\\.?|m))?`,
    ),
    read({ groups = {} }) {
      const remindHour = hourOf({ hour: groups.hour, minute: groups.minute, half: groups.half });
      return remindHour && { says: { remindHour }, manner: "whole" };
    },
  },
  {
    pattern: wordsLike(
      `${remind} (?<many>\\d{1,3}|an?|half an|the) ?(?<unit>m|h|d|w)(?:in(?:ute)?s?|rs?|ours?|ays?|eeks?)? (?:before(?:hand)?|earlier|prior|ahead|in advance)`,
    ),
    read({ groups: { many = "", unit = "" } = {} }) {
      const number = /half/i.test(many) ? 0.5 : /the/i.test(many) ? 1 : numberSaid(many);
      return { says: { remindBefore: number * (minutesOf[unit.toLowerCase()] ?? 1) }, manner: "whole" };
    },
  },
];

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
