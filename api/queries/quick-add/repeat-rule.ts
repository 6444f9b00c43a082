/** A repetition that words can say; an RRULE can say more. */
export type Repeat = Readonly<{
  freq: "DAILY" | "WEEKLY" | "MONTHLY" | "YEARLY";
  interval?: number;
  /** Weekdays as an RRULE has them: `MO`, or `-1FR` in a month. */
  days?: readonly string[];
  /** Days of the month; -1 is the last. */
  monthDays?: readonly number[];
  month?: number;
}>;

const codes = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

/** @param day 1 is Monday */
export const dayCode = (day: number): string => codes[day - 1] ?? "";

/** 1 is Monday, 0 is no day. */
export const dayOfCode = (code: string): number => codes.indexOf(code) + 1;

/** The text of its rule, which is neither normalised nor checked. */
export function ruleOf({ freq, interval = 1, days, monthDays, month }: Repeat): string {
  const parts = [
    `FREQ=${freq}`,
    interval > 1 && `INTERVAL=${interval}`,
    days && `BYDAY=${days.join(",")}`,
    monthDays && `BYMONTHDAY=${monthDays.join(",")}`,
    month !== undefined && `BYMONTH=${month}`,
  ];
  return parts.filter(Boolean).join(";");
}

/** The parts of a normalised rule, by name. */
export const partsOfRule = (rule: string): ReadonlyMap<string, string> =>
  new Map(Array.from(rule.matchAll(/(\w+)=([^;]+)/g), ([, name = "", value = ""]) => [name, value]));
