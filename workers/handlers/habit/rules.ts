import type { HabitRow } from "../../../shared/db/entities.ts";
import type { Rules } from "../../../shared/domain/habit/schedule.ts";
import { invalid, type Refused } from "../../../shared/errors.ts";

/** The rules by which a habit's streak is counted. */
export const rulesOf = ({ frequency, schedule, grace_days }: HabitRow): Rules => ({
  frequency,
  // A habit that an undo restores has only the fields of its image, which has no nulls.
  schedule: schedule ?? null,
  grace_days,
});

/** Refuses a schedule that comes with another frequency than `custom`. */
export function checkSchedule(
  frequency: string | undefined,
  schedule: object | null | undefined,
): Refused | undefined {
  if (schedule == null || frequency === undefined || frequency === "custom") return undefined;
  return invalid({ schedule: ["The schedule field can only be given with the frequency custom."] });
}
