import { addDays } from "../day/day.ts";
import { joinPauses, type Pause } from "./free-days.ts";

/** The pause of a habit. Without a last day it lasts until it is ended. */
export type PauseDates = Readonly<{ paused_from: string | null; paused_through: string | null }>;

/** The number of days before today on which a new pause can begin. */
export const pauseDaysBack = 7;

export const isPausedOn = ({ paused_from, paused_through }: PauseDates, date: string): boolean =>
  paused_from !== null && paused_from <= date && (paused_through === null || date <= paused_through);

/**
 * All pauses after the present one was replaced or ended. Past days of earlier pauses stay free, so the end of a pause
 * never turns its days into missed ones.
 */
export function withPause(
  pauses: readonly Pause[],
  { paused_from, paused_through: through }: PauseDates,
  today: string,
): Pause[] {
  const yesterday = addDays(today, -1);
  const past = pauses.flatMap(({ from, through }): Pause[] =>
    from < today ? [{ from, through: through !== null && through < today ? through : yesterday }] : [],
  );
  if (paused_from === null) return past;
  const first = addDays(today, -pauseDaysBack);
  const from = paused_from > first ? paused_from : first;
  return joinPauses(through === null || through >= from ? [...past, { from, through }] : past);
}
