import { parseRecurrence, partsOfRule } from "../../../../shared/domain/todo/recurrence.ts";
import { numberSaid, type Recogniser, type RhythmFields, wordsLike } from "./phrase.ts";

/** A repetition that words can say; an RRULE can say more. */
export type Repeat = Readonly<{
  freq: "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY";
  interval?: number;
  /** Weekdays as an RRULE has them: `MO`, or `-1FR` in a month. */
  days?: readonly string[];
  /** Days of the month; -1 is the last. */
  monthDays?: readonly number[];
  months?: readonly number[];
  /** Positions among the days of a period, such as -1 for the last workday. */
  positions?: readonly number[];
}>;

const codes = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

export const workdays: readonly number[] = [1, 2, 3, 4, 5];

/** @param day 1 is Monday */
export const dayCode = (day: number): string => codes[day - 1] ?? "";

/** 1 is Monday, 0 is no day. */
export const dayOfCode = (code: string): number => codes.indexOf(code) + 1;

/** The text of the rule, neither normalised nor checked. */
export function ruleOf({ freq, interval = 1, days, monthDays, months, positions }: Repeat): string {
  const parts = [
    `FREQ=${freq}`,
    interval > 1 && `INTERVAL=${interval}`,
    days && `BYDAY=${days.join(",")}`,
    monthDays && `BYMONTHDAY=${monthDays.join(",")}`,
    months && `BYMONTH=${months.join(",")}`,
    positions && `BYSETPOS=${positions.join(",")}`,
  ];
  return parts.filter(Boolean).join(";");
}

/** Adds an end to a rule, unless no day would be left. */
export function ruleEnding(rule: string, end: string): string {
  const ending = parseRecurrence(`${rule};${end}`);
  return "rule" in ending ? ending.rule : rule;
}

const times =
  "(?:(?<many>\\d)(?: ?x| times)|(?<word>one|two|three|four|five|six|seven) times|(?<adverb>once|twice))";

/** Numbers of times in a period; only a number in a week is a rhythm. */
export const rhythms: readonly Recogniser[] = [
  {
    pattern: wordsLike(`${times}(?: ?/ ?| (?:a|per|each|every) )w(?:ee)?k|${times} weekly`),
    read({ groups: { many, word, adverb } = {} }) {
      const number = numberSaid(many ?? word ?? adverb);
      return number < 1 || number > 7 ? undefined : { says: { rhythm: timesAWeek(number) }, manner: "whole" };
    },
  },
  {
    pattern: wordsLike("once (?:a|per|each|every) day"),
    read: () => ({ says: { rule: "FREQ=DAILY" }, manner: "whole" }),
  },
  {
    // A year or a month has no rule for a number of times, so the words stay and Kept asks about equal parts of it.
    pattern: wordsLike(
      `${times}(?: ?/ ?| (?:a|per|each|every) )(?:fortnight|month|quarter|year)|${times} (?:month|year)ly`,
    ),
    read({ groups = {}, 0: text }) {
      const { many, word, adverb } = groups;
      const number = numberSaid(many ?? word ?? adverb);
      const rule = partOf(/fortnight|month|quarter/i.exec(text)?.[0], number);
      if (number === 1) return { says: { rule }, manner: "whole" };
      return { says: { rule }, manner: "offered", isAsked: true, stays: true };
    },
  },
  {
    // A todo has no number of times in a day, so the words stay and Kept asks about the repetition.
    pattern: wordsLike(
      "(?:(?:twice|\\d+ ?x|\\p{L}+ times|\\d+ \\p{L}+(?: of \\p{L}+)?)(?: (?:a|per|each) |/)day|(?:twice|\\p{L}+ times|\\d+ ?(?:x|times)) daily)(?: for (?:the next )?\\w+ (?:day|week|month)s?)?(?=\\W*$| (?:for|until|starting|from|at)\\b)",
    ),
    read: () => ({ says: { rule: "FREQ=DAILY" }, manner: "offered", isAsked: true, stays: true }),
  },
];

/** The rule for so many times in a month, a quarter or a year. */
function partOf(unit: string | undefined, times: number): string {
  const months = { f: 0.5, m: 1, q: 3 }[unit?.slice(0, 1).toLowerCase() ?? ""] ?? 12;
  if (months === 12 && times === 1) return "FREQ=YEARLY";
  if (months % times === 0) return ruleOf({ freq: "MONTHLY", interval: months / times });
  return ruleOf({ freq: "WEEKLY", interval: Math.max(1, Math.floor((months * 4) / times)) });
}

const timesAWeek = (times: number): RhythmFields =>
  times === 1
    ? { frequency: "weekly", schedule: null }
    : { frequency: "custom", schedule: { times_per_week: times } };

const mostDays = 365;

/** @returns undefined for a rule that no habit can have, such as a monthly one */
export function rhythmOfRule(rule: string): RhythmFields | undefined {
  const parts = partsOfRule(rule);
  const interval = Number(parts.get("INTERVAL") ?? 1);
  const isWeekly = parts.get("FREQ") === "WEEKLY";
  if ((!isWeekly && parts.get("FREQ") !== "DAILY") || parts.has("BYMONTH")) return undefined;
  const days = parts.get("BYDAY");
  if (days !== undefined)
    return interval === 1
      ? { frequency: "custom", schedule: { weekdays: days.split(",").map(dayOfCode) } }
      : undefined;
  if (interval === 1) return { frequency: isWeekly ? "weekly" : "daily", schedule: null };
  const every_days = isWeekly ? 7 * interval : interval;
  return every_days <= mostDays ? { frequency: "custom", schedule: { every_days } } : undefined;
}

/** True for a repetition every three days or more often, which may be a habit. */
export function isOften(rule: string): boolean {
  const parts = partsOfRule(rule);
  const interval = Number(parts.get("INTERVAL") ?? 1);
  if (parts.get("FREQ") === "DAILY") return interval <= 3;
  return parts.get("FREQ") === "WEEKLY" && interval === 1 && (parts.get("BYDAY") ?? "").includes(",");
}
