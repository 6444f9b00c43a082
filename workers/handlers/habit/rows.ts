import type { HabitRow } from "../../../shared/db/entities.ts";
import { presentHabit } from "../../../shared/db/present.ts";
import type { Rules } from "../../../shared/domain/habit/schedule.ts";
import { type StreakState, view } from "../../../shared/domain/habit/streak.ts";
import { forUpdate, type RowRequest, withoutLock } from "../../unit-of-work/row-request.ts";
import type { HandlerContext, LoadedTables, Related } from "../handler.ts";
import { rulesOf } from "./rules.ts";

type OneHabit = Readonly<{ habit_id: number }>;

export const lockHabit = ({ habit_id }: OneHabit): RowRequest[] => [forUpdate("habits", habit_id)];

/** The category is part of the answer. */
export const relatedToHabit = ({ habits }: LoadedTables, { habit_id }: OneHabit): Related => ({
  rows: withoutLock("categories", habits.get(habit_id)?.category_id),
});

/** @returns the streak as columns that queries compare with today */
export function streakColumns(state: StreakState, rules: Rules) {
  const { streak_count, alive_through, ...columns } = view(state, rules);
  return {
    streak: streak_count,
    streak_alive_through: alive_through,
    ...columns,
    streak_state: state,
  };
}

export function updateStreak(
  { habits, now }: HandlerContext,
  row: HabitRow,
  state: StreakState,
  completions_count: number,
): HabitRow {
  return habits.update(row, { ...streakColumns(state, rulesOf(row)), completions_count, updated_at: now });
}

export function currentHabit(context: HandlerContext, { habit_id }: OneHabit) {
  const row = context.habits.get(habit_id);
  return row && habitAnswer(context, row);
}

/** @returns a changed habit as it is answered, with its category */
export function habitAnswer({ categories, viewer }: HandlerContext, row: HabitRow) {
  return presentHabit(row, row.category_id == null ? undefined : categories.get(row.category_id), viewer);
}
