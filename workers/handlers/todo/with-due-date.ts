import {
  daysBetween,
  resolveLocalTime,
  timestamp,
  wallTimeAt,
  wallTimeOf,
} from "../../../shared/domain/day/day.ts";

/** A reminder as stored: without a wall time it was given as an instant. */
type StoredTime = Readonly<{ remind_at: string; wall_time?: string | null | undefined }>;

/** A todo before and after its due date moved, or a completed one and its successor. */
type DueDates = Readonly<{ from: string | null; to: string | null; recurs: boolean }>;

/** The wall time of a reminder; that of an instant is in the user's zone. */
export function wallTimeOfReminder({ remind_at, wall_time }: StoredTime, timeZone: string): string {
  return wallTimeOf(wall_time ?? wallTimeAt(timestamp(remind_at), timeZone));
}

/**
 * The wall time of a reminder whose todo's due date moves: as many days later or earlier, so the distance stays. If
 * a recurring todo had no due date, the reminder moves to the new due date.
 */
function movedWallTime(wallTime: string, { from, to, recurs }: DueDates): string {
  const base = from ?? (recurs ? wallTime.slice(0, 10) : null);
  if (base === null || to === null) return wallTime;
  const days = daysBetween(base, to);
  return Temporal.PlainDateTime.from(wallTime).add({ days }).toString();
}

/** The end of the times whose year has four digits in every zone. */
export const endOfTimes = Date.UTC(9999);

/**
 * The time of a reminder after a move. On a recurring todo it is a wall time from then on.
 * @returns undefined before 1970 or after 9998
 */
export function movedTime(
  reminder: StoredTime,
  dates: DueDates,
  timeZone: string,
): { remind_at: string; wall_time: string | null } | undefined {
  const before = wallTimeOfReminder(reminder, timeZone);
  const wallTime = movedWallTime(before, dates);
  const wall_time = dates.recurs || reminder.wall_time != null ? wallTime : null;
  if (wallTime === before) return { remind_at: reminder.remind_at, wall_time };
  const instant = resolveLocalTime(wallTime, timeZone);
  const isOutside = instant < 0 || instant >= endOfTimes;
  return isOutside ? undefined : { remind_at: new Date(instant).toISOString(), wall_time };
}
