import type { Schedule } from "../../../shared/domain/schedule.ts";

const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** How often a habit is due, in words. */
export function sayRhythm(habit: { frequency: string; schedule: Schedule | null }): string {
  const { frequency, schedule } = habit;
  if (frequency === "weekly") return "Weekly";
  if (frequency === "daily" || schedule === null) return "Daily";
  if ("every_days" in schedule)
    return schedule.every_days === 1 ? "Daily" : `Every ${schedule.every_days} days`;
  if ("times_per_week" in schedule)
    return schedule.times_per_week === 1 ? "Weekly" : `${schedule.times_per_week} times a week`;
  return schedule.weekdays
    .toSorted()
    .map((day) => weekdays[day - 1])
    .join(", ");
}
