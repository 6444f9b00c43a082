import { addDays, dayNumber } from "../../../shared/domain/day/day.ts";
import type { Rules } from "../../../shared/domain/habit/schedule.ts";
import { isDue } from "../streak/streak-spec.ts";

/** A habit with its user as a person would describe them: the rule of reminders, slow and obvious. */
export type Life = {
  timeZone: string;
  dayStartHour: number;
  rules: Rules;
  remindAt: string | null;
  done: Set<string>;
  lastRung: string;
};

const quarterMs = 15 * 60_000;
/** No zone repeats more than this when its clock goes back. */
const longestRepeatMs = 3 * 3_600_000;

const wallClock = (at: number, timeZone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).toPlainDateTime().toString();

/** The user's day: the wall-clock date this many hours ago. */
export function dayAt({ timeZone, dayStartHour }: Life, at: number): string {
  const now = wallClock(at, timeZone);
  return Number(now.slice(11, 13)) < dayStartHour ? addDays(now.slice(0, 10), -1) : now.slice(0, 10);
}

/** @returns the day for which the habit rings at a quarter of an hour, if it rings */
export function ringsAt(life: Life, at: number): string | undefined {
  const { timeZone, dayStartHour, rules, remindAt, lastRung, done } = life;
  if (remindAt === null) return undefined;
  const shownBefore = wallClock(at - quarterMs, timeZone);
  const shown = wallClock(at, timeZone);
  for (const date of new Set([shownBefore.slice(0, 10), shown.slice(0, 10)])) {
    const wanted = `${date}T${remindAt}:00`;
    if (shownBefore >= wanted || shown < wanted || wasShown(wanted, at, timeZone)) continue;
    const day = Number(remindAt.slice(0, 2)) < dayStartHour ? addDays(date, -1) : date;
    if (day > lastRung && !done.has(day) && isDue(rules, [...done].map(dayNumber), dayNumber(day)))
      return day;
  }
  return undefined;
}

/** True if the clock has shown that time or a later one before, because it went back. */
function wasShown(wanted: string, at: number, timeZone: string): boolean {
  for (let before = at - quarterMs; before >= at - longestRepeatMs; before -= quarterMs)
    if (wallClock(before, timeZone) >= wanted) return true;
  return false;
}
