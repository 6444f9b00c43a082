import type { Static } from "typebox";
import { quoteStored } from "../kernel/tool.ts";
import type { AmountsDone, DaysDone } from "./history.ts";
import type { Habit, HabitOfWeek } from "./schema.ts";

/** The parts of a habit in an agent's lines. */

export type HabitOutput = Static<typeof Habit>;
/** A habit by itself, or in the list of the day. */
export type ShownHabit = HabitOutput &
  Partial<Static<typeof HabitOfWeek>> & { history?: DaysDone | undefined; counted?: AmountsDone | undefined };

export const sumOn = ({ recent_amounts }: HabitOutput, date: string): number | undefined =>
  recent_amounts.find((day) => day.date === date)?.amount;

/** `6 of 8 glasses`. A unit of several words is quoted, so that it cannot pass for Kept's own words. */
export function amountOf({ target, unit }: HabitOutput, amount?: number): string {
  const counted = amount === undefined ? "" : `${amount} of `;
  return `${counted}${target}${unit === null ? "" : ` ${/^\p{L}+$/u.test(unit) ? unit : quoteStored(unit)}`}`;
}

export function targetWords(habit: ShownHabit): string | null {
  // Answers of an earlier release have no target.
  if (habit.target == null) return null;
  const { amount_today } = habit;
  return amount_today === null ? `${amountOf(habit)} a day` : `${amountOf(habit, amount_today)} today`;
}

export const pauseWords = ({ paused_from: from, paused_through: through }: HabitOutput): string | null =>
  from && `paused from ${from} ${through === null ? "on" : `through ${through}`}`;

const weekdayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

export function rhythmWords({ frequency, schedule }: HabitOutput): string {
  if (schedule === null) return frequency === "custom" ? "daily" : frequency;
  if ("every_days" in schedule) return `every ${schedule.every_days} days`;
  if ("times_per_week" in schedule) return `${schedule.times_per_week} times a week`;
  return schedule.weekdays
    .toSorted()
    .map((day) => weekdayNames[day - 1])
    .join("/");
}

export function streakWords({ ends_tonight, ...habit }: ShownHabit): string {
  const { streak_count, longest_streak, streak_alive_through: end } = habit;
  const best = longest_streak > streak_count ? ` (best ${longest_streak})` : "";
  const life = ends_tonight ? " ends tonight" : ` alive through ${end}`;
  return `streak ${streak_count}${best}${end === null ? "" : life}`;
}
