import { localTime, resolveLocalTime } from "../../../shared/domain/day/day.ts";

/** The time and the user's day for reading a line. */
export type Clock = Readonly<{
  /** Epoch ms. */
  now: number;
  timeZone: string;
  /** The user's day, which may begin hours after midnight. */
  today: string;
}>;

/** The wall time, `2026-11-21T09:00:00`. */
export const wallTime = ({ now, timeZone }: Clock): string => localTime(now, timeZone);

/** The moment that dates are relative to: now, or after midnight the last minute of the day that still lasts. */
export function momentOfDay(clock: Clock): number {
  const { now, timeZone, today } = clock;
  return wallTime(clock).slice(0, 10) === today ? now : resolveLocalTime(`${today}T23:59`, timeZone);
}

/** Minutes by which the zone is ahead of UTC at that moment. */
export const offsetAt = (instant: number, timeZone: string): number =>
  Math.round((Date.parse(`${localTime(instant, timeZone)}Z`) - instant) / 60_000);
