import type { HabitCompletionRow } from "../../../../shared/db/entities.ts";
import { type History, historyField } from "../../../../shared/domain/action/images.ts";
import { updateStreak } from "../../habit/rows.ts";
import { rulesOf } from "../../habit/rules.ts";
import { restoredCompletion, withoutCompletionOf } from "../../habit/streak-undo.ts";
import type { HandlerContext } from "../../handler.ts";
import {
  type ChangedRow,
  type ChangedRows,
  conflictAt,
  idOf,
  type TableUndo,
  touched,
} from "./changed-row.ts";

export const takeBackCompletion: TableUndo = {
  /** Restores a removed completion. The streak of a restored habit already has it. */
  restore(context, row, rows) {
    const { habits, completions, today } = context;
    const [habit_id, [, local_date = ""]] = [idOf(row), row.key];
    const habit = habits.get(habit_id);
    if (!habit) return [conflictAt(row, "deleted_since")];
    if (isBySum(row, rows)) return [];
    if (hasSum(context, row)) return [conflictAt(row, "made_again")];
    const completed = { ...(row.before as Pick<HabitCompletionRow, "completed_at">), habit_id, local_date };
    const ofHabit = rows.get(`habits/${habit_id}`);
    const [before, after] = [ofHabit?.before?.[historyField], ofHabit?.after?.[historyField]];
    if (before && after) {
      const events = { before: (before as History).events, after: (after as History).events };
      const state = restoredCompletion(habit.streak_state, rulesOf(habit), local_date, today.date, events);
      if (state === "settled") return [conflictAt(row, "day_is_settled")];
      if (state === "already_completed") return [conflictAt(row, "made_again")];
      updateStreak(context, habit, state, habit.completions_count + 1);
    }
    completions.insert(completed);
    return [];
  },
  remove(context, row, rows) {
    const { habits, completions, today } = context;
    const [habit_id, [, local_date = ""]] = [idOf(row), row.key];
    const habit = habits.get(habit_id);
    const current = completions.get(habit_id, local_date);
    if (isBySum(row, rows)) return [];
    if (!habit || !current) return [conflictAt(row, "deleted_since")];
    if (hasSum(context, row)) return [conflictAt(row, "changed_since", ["amount"])];
    // Somebody else may have undone it and completed the same day again.
    if (touched(context, row, current).length > 0) return [conflictAt(row, "made_again")];
    const state = withoutCompletionOf(habit.streak_state, rulesOf(habit), local_date, today.date);
    if (state === "settled") return [conflictAt(row, "day_is_settled")];
    if (state === "not_completed") return [conflictAt(row, "deleted_since")];
    completions.remove(habit_id, local_date);
    updateStreak(context, habit, state, habit.completions_count - 1);
    return [];
  },
  /** A completion is made or removed, and never changed. */
  change: () => [],
};

/** True where the action changed the sum of the day, which decides whether it is completed. */
const isBySum = ({ key }: ChangedRow, rows: ChangedRows): boolean =>
  rows.has(`habit_amounts/${key.join("/")}`);

/** True where others have counted on the day since, which was ticked off without an amount. */
const hasSum = ({ amounts }: HandlerContext, { key: [id, date = ""] }: ChangedRow): boolean =>
  amounts.get(Number(id), date) !== undefined;
