import type { HabitCompletionRow } from "../../../../shared/db/entities.ts";
import { isDoneOn, withDone, withoutDone } from "../../../../shared/domain/habit/history.ts";
import { updateHistory } from "../../habit/habit.ts";
import type { HandlerContext } from "../../handler.ts";
import {
  type ChangedRow,
  type ChangedRows,
  conflictAt,
  idOf,
  oldValues,
  type TableUndo,
  touched,
} from "./changed-row.ts";

export const takeBackCompletion: TableUndo = {
  /** Restores a removed completion. A habit that the same undo restored already has its day. */
  restore(context, row, rows) {
    const { habits, completions } = context;
    const [habit_id, [, local_date = ""]] = [idOf(row), row.key];
    const habit = habits.get(habit_id);
    if (!habit) return [conflictAt(row, "deleted_since")];
    if (isBySum(row, rows)) return [];
    if (hasSum(context, row)) return [conflictAt(row, "made_again")];
    const isBack = rows.get(`habits/${habit_id}`)?.after === undefined && rows.has(`habits/${habit_id}`);
    if (!isBack && isDoneOn(habit, local_date)) return [conflictAt(row, "made_again")];
    const { note = null, ...made } = row.before as Pick<HabitCompletionRow, "completed_at" | "note">;
    completions.insert({ ...made, note, habit_id, local_date });
    if (!isBack) updateHistory(context, habit, withDone(habit, local_date));
    return [];
  },
  remove(context, row, rows) {
    const { habits, completions } = context;
    const [habit_id, [, local_date = ""]] = [idOf(row), row.key];
    const habit = habits.get(habit_id);
    const current = completions.get(habit_id, local_date);
    if (isBySum(row, rows)) return [];
    if (!habit || !current) return [conflictAt(row, "deleted_since")];
    if (hasSum(context, row)) return [conflictAt(row, "changed_since", ["amount"])];
    const [conflict] = touched(context, row, current);
    // Somebody else may have undone it and completed the same day again.
    if (conflict)
      return [conflict.fields.includes("completed_at") ? conflictAt(row, "made_again") : conflict];
    completions.remove(habit_id, local_date);
    updateHistory(context, habit, withoutDone(habit, local_date));
    return [];
  },
  /** Only the note of a completion ever changes. */
  change(context, row) {
    const [habit_id, [, local_date = ""]] = [idOf(row), row.key];
    const current = context.completions.get(habit_id, local_date);
    if (!current) return [conflictAt(row, "deleted_since")];
    const { patch, conflicts } = oldValues(context, row, current, []);
    if (conflicts.length === 0) context.completions.update(current, patch);
    return conflicts;
  },
};

/** True where the action changed the sum of the day, which decides whether it is completed. */
const isBySum = ({ key }: ChangedRow, rows: ChangedRows): boolean =>
  rows.has(`habit_amounts/${key.join("/")}`);

/** True where others have counted on the day since, which was ticked off without an amount. */
const hasSum = ({ amounts }: HandlerContext, { key: [id, date = ""] }: ChangedRow): boolean =>
  amounts.get(Number(id), date) !== undefined;
