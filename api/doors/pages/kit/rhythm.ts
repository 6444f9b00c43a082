import type { Rhythm } from "../../../../shared/domain/habit/rhythm.ts";

const weekdayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** The rhythm of a habit in words. */
export function rhythmInWords(rhythm: Rhythm): string {
  if ("weekdays" in rhythm) return rhythm.weekdays.map((day) => weekdayNames[day - 1]).join(", ");
  if ("every" in rhythm) return rhythm.every === 1 ? "Daily" : `Every ${rhythm.every} days`;
  return rhythm.times === 1 ? "Weekly" : `${rhythm.times} times a week`;
}
