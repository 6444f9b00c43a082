import type { Static } from "typebox";
import type { Habit } from "../../../../shared/contracts/habit/fields.ts";
import { sayUntil } from "../../../../shared/domain/day/say-date.ts";
import { isPausedOn } from "../../../../shared/domain/habit/free-days.ts";
import { type Rhythm, rhythmOf } from "../../../../shared/domain/habit/rhythm.ts";
import type { HabitInWeek } from "../../../queries/habit/week.ts";
import { locale } from "../../../web/locale.ts";
import { countInWords } from "./dates.ts";

type HabitItem = Static<typeof Habit>;

/** The unit of a streak: weeks for a habit with a number of times a week, else days. */
export function streakUnit(habit: HabitItem, count: number): string {
  const unit = "times" in rhythmOf(habit) ? "week" : "day";
  return count === 1 ? unit : `${unit}s`;
}

/** `2 of 3 this week`; null for a habit without a number of times a week. */
export const weekInWords = ({ doneDays, target }: HabitInWeek): string | null =>
  target === undefined ? null : `${doneDays.length} of ${target} this week`;

/** True if the streak ends tomorrow unless the habit is done today. */
export const endsToday = ({ habit }: HabitInWeek, today: string): boolean =>
  habit.streak_alive_through === today && !habit.is_completed_today;

/** A pause without an end is the archive. */
export const isArchived = ({ habit }: HabitInWeek, today: string): boolean =>
  isPausedOn(habit, today) && habit.paused_through === null;

/** `paused until Sunday` or `skipped today` on a free day, else null. */
export function pauseInWords({ habit }: HabitInWeek, today: string): string | null {
  if (habit.skipped_dates.includes(today)) return "skipped today";
  if (!isPausedOn(habit, today)) return null;
  return habit.paused_through === null
    ? "archived"
    : `paused until ${sayUntil(habit.paused_through, today, locale())}`;
}

/** The last day of the streak if nothing more is done, and the misses it still forgives; null without a streak. */
export function outlookInWords(item: HabitInWeek, today: string): string | null {
  const { habit, graceLeft } = item;
  const { streak_alive_through: end, type } = habit;
  if (end === null || habit.streak_count === 0) return null;
  if (endsToday(item, today)) return `ends today unless ${type === "bad" ? "avoided" : "done"}`;
  const grace = graceLeft > 0 ? `, ${countInWords(graceLeft, "grace day")} left` : "";
  return `alive until ${sayUntil(end, today, locale())}${grace}`;
}

/** `6 of 8 glasses`; null for a habit that is ticked off. */
export const amountInWords = ({ target, unit }: HabitItem, amount: number): string | null =>
  target === null
    ? null
    : `${amount.toLocaleString("en")} of ${target.toLocaleString("en")}${unit === null ? "" : ` ${unit}`}`;

const weekdayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

export function rhythmInWords(rhythm: Rhythm): string {
  if ("weekdays" in rhythm) return rhythm.weekdays.map((day) => weekdayNames[day - 1]).join(", ");
  if ("every" in rhythm) return rhythm.every === 1 ? "Daily" : `Every ${rhythm.every} days`;
  return rhythm.times === 1 ? "Weekly" : `${rhythm.times} times a week`;
}
