import { parseRecurrence } from "../../../../shared/domain/todo/recurrence.ts";

/** A repetition that words can say; an RRULE can say more. */
export type Repeat = Readonly<{
  freq: "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY";
  interval?: number;
  /** Weekdays as an RRULE has them: `MO`, or `-1FR` in a month. */
  days?: readonly string[];
  /** Days of the month; -1 is the last. */
  monthDays?: readonly number[];
  month?: number;
  /** The position among the days of a period, such as -1 for the last workday. */
  position?: number;
}>;

const codes = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/** @param day 1 is Monday */
export const dayCode = (day: number): string => codes[day - 1] ?? "";

/** 1 is Monday, 0 is no day. */
export const dayOfCode = (code: string): number => codes.indexOf(code) + 1;

/** The text of the rule, neither normalised nor checked. */
export function ruleOf({ freq, interval = 1, days, monthDays, month, position }: Repeat): string {
  const parts = [
    `FREQ=${freq}`,
    interval > 1 && `INTERVAL=${interval}`,
    days && `BYDAY=${days.join(",")}`,
    monthDays && `BYMONTHDAY=${monthDays.join(",")}`,
    month !== undefined && `BYMONTH=${month}`,
    position !== undefined && `BYSETPOS=${position}`,
  ];
  return parts.filter(Boolean).join(";");
}

/** The parts of a normalised rule, by name. */
export const partsOfRule = (rule: string): ReadonlyMap<string, string> =>
  new Map(Array.from(rule.matchAll(/(\w+)=([^;]+)/g), ([, name = "", value = ""]) => [name, value]));

/** Adds an end to a rule, unless no day would be left. */
export function ruleEnding(rule: string, end: string): string {
  const ending = parseRecurrence(`${rule};${end}`);
  return "rule" in ending ? ending.rule : rule;
}
