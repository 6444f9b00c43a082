import { localTime } from "../../../../shared/domain/day/day.ts";

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
