import type { DayFields } from "../../../shared/contracts/kernel/fields.ts";
import { dayNumber, isoWeekday, localTime } from "../../../shared/domain/day/day.ts";
import type { Today } from "../../../shared/domain/day/today.ts";

/** The moment of an answer: the user's day, the time of the call (epoch ms), and whether the answer is a replay. */
export type Moment = Readonly<{ today: Today; calledAt: number; replayed: boolean }>;

const weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const weekdayOf = (date: string): string => weekdays[isoWeekday(dayNumber(date)) - 1] ?? "";

/**
 * The first line of every answer, because models confuse weekdays and have no clock. A replay has the day of the
 * first run, which may be over.
 */
export function dayLine({ today: { date, timeZone }, calledAt, replayed }: Moment): string {
  if (replayed)
    return `The answer of ${date} in ${timeZone} to an earlier call with this idempotency_key; this one changed nothing.`;
  const [wallDate, clock = ""] = localTime(calledAt, timeZone).split("T");
  const time = clock.slice(0, 5);
  // A day that begins later than midnight still lasts.
  const now = wallDate === date ? time : `by the clock ${wallDate} ${time}`;
  return `Today is ${weekdayOf(date)} ${date}, ${now} in ${timeZone}.`;
}

/** The same for programs. The clock has its date (`2026-11-23T15:40`), which may be the day after `today`. */
export function dayFields({ today: { date, timeZone }, calledAt, replayed }: Moment): DayFields {
  const now = localTime(calledAt, timeZone).slice(0, 16);
  return { today: date, weekday: weekdayOf(date), ...(!replayed && { now }), time_zone: timeZone };
}
