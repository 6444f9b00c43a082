import type { HabitRow } from "../../../shared/db/entities.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import type { Pause } from "../../../shared/domain/habit/free-days.ts";
import { type PauseDates, pauseDaysBack, withPause } from "../../../shared/domain/habit/pause.ts";
import { invalid, type Refused } from "../../../shared/errors.ts";

type GivenPause = Readonly<{ [Name in keyof PauseDates]?: PauseDates[Name] | undefined }>;

export const noPause: PauseDates = { paused_from: null, paused_through: null };

/** The pause that results from the habit and the fields of a request. Without a first day it has no last day. */
export function pauseAfter(old: PauseDates, given: GivenPause): PauseDates {
  const { paused_from = old.paused_from ?? null, paused_through } = given;
  if (paused_through !== undefined) return { paused_from, paused_through };
  return { paused_from, paused_through: paused_from === null ? null : (old.paused_through ?? null) };
}

/** Refuses a pause without a first day, with an end before it, and a new one that begins too far back. */
export function checkPause(old: PauseDates, pause: PauseDates, today: string): Refused | undefined {
  const { paused_from: from, paused_through: through } = pause;
  if (from === null)
    return through === null ? undefined : refuse("paused_through", "can only be given with paused_from");
  if (through !== null && through < from)
    return refuse("paused_through", `must not be before paused_from (${from})`);
  const first = addDays(today, -pauseDaysBack);
  if (from === old.paused_from || from >= first) return undefined;
  return refuse("paused_from", `must be ${first} or later, which is at most ${pauseDaysBack} days back`);
}

const refuse = (field: string, demand: string): Refused =>
  invalid({ [field]: [`The ${field} field ${demand}.`] });

/** All pauses after the change; the same pause changes nothing. */
export function pausesAfter(
  old: Pick<HabitRow, keyof PauseDates | "pauses">,
  pause: PauseDates,
  today: string,
): readonly Pause[] {
  const isSame =
    (old.paused_from ?? null) === pause.paused_from && (old.paused_through ?? null) === pause.paused_through;
  return isSame ? old.pauses : withPause(old.pauses, pause, today);
}
