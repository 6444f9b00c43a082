import { invalid, type Refused } from "../../../shared/errors.ts";

/** Refuses a schedule that comes with another frequency than `custom`. */
export function checkSchedule(
  frequency: string | undefined,
  schedule: object | null | undefined,
): Refused | undefined {
  if (schedule == null || frequency === undefined || frequency === "custom") return undefined;
  return invalid({ schedule: ["The schedule field can only be given with the frequency custom."] });
}
