import type { HabitRow } from "../../../shared/db/entities.ts";
import { presentHabit } from "../../../shared/db/present.ts";
import { streakColumns } from "../../../shared/domain/habit/streak.ts";
import { forUpdate, type RowRequest, withoutLock } from "../../unit-of-work/row-request.ts";
import type { HandlerContext, LoadedTables, Related } from "../handler.ts";

type OneHabit = Readonly<{ habit_id: number }>;

export const lockHabit = ({ habit_id }: OneHabit): RowRequest[] => [forUpdate("habits", habit_id)];

/** The category is part of the answer. */
export const relatedToHabit = ({ habits }: LoadedTables, { habit_id }: OneHabit): Related => ({
  rows: withoutLock("categories", habits.get(habit_id)?.category_id),
});

/** Changes a habit's history, and all columns that follow from it. */
export function updateHistory(
  { habits, now, today }: HandlerContext,
  row: HabitRow,
  patch: Partial<HabitRow>,
): HabitRow {
  const columns = streakColumns({ ...row, ...patch }, today.date);
  return habits.update(row, { updated_at: now, ...patch, ...columns });
}

export function currentHabit(context: HandlerContext, { habit_id }: OneHabit) {
  const row = context.habits.get(habit_id);
  return row && habitAnswer(context, row);
}

/** @returns a changed habit as it is answered, with its category */
export function habitAnswer({ categories, viewer }: HandlerContext, row: HabitRow) {
  return presentHabit(row, row.category_id == null ? undefined : categories.get(row.category_id), viewer);
}
