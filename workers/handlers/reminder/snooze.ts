import { addDays, resolveLocalTime, type Today, wallTimeOf } from "../../../shared/domain/day/day.ts";
import type { Act } from "../../../shared/domain/reminder/link.ts";

const minute = 60_000;

/**
 * The new time of a reminder that is put off: in an hour, to the minute, or at the same wall time on the user's
 * next day.
 * @param clock `09:00:00`
 */
export function snoozedTime(
  act: Exclude<Act, "done">,
  clock: string,
  { date, timeZone, now }: Today & Readonly<{ now: number }>,
): { remind_at: string; wall_time: string | null } {
  if (act === "hour")
    return { remind_at: instantOf(Math.ceil(now / minute) * minute + 60 * minute), wall_time: null };
  // After midnight the user's day may still be yesterday, so that time of its next day may have passed.
  const wallTimes = [1, 2].map((days) => wallTimeOf(`${addDays(date, days)}T${clock}`));
  const [next = "", later = ""] = wallTimes;
  const wall_time = resolveLocalTime(next, timeZone) > now ? next : later;
  return { remind_at: instantOf(resolveLocalTime(wall_time, timeZone)), wall_time };
}

const instantOf = (time: number): string => new Date(time).toISOString();
