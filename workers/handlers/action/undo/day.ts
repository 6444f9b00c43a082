import type { HabitCompletionRow, HabitRow } from "../../../../shared/db/entities.ts";
import type { Image } from "../../../../shared/domain/action/image-fields.ts";
import { completed, isDoneOn, withoutDone } from "../../../../shared/domain/habit/history.ts";
import { withoutChange, writeSum } from "../../habit/amount.ts";
import { updateHistory } from "../../habit/habit.ts";
import type { HandlerContext } from "../../handler.ts";
import {
  type ChangedRow,
  type ChangedRows,
  type Conflict,
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
    if (!isBack) updateHistory(context, habit, completed(habit, local_date, made.completed_at));
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
    const { patch, conflicts } = oldValues(context, row, current);
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

/** Others may have added to the day since: the sum goes back by what the action added, and decides about the completion. */
const takeBack: TableUndo["change"] = (context, row, rows) => {
  const { habits, amounts, completions } = context;
  const [habit_id, [, date = ""]] = [idOf(row), row.key];
  const habit = habits.get(habit_id);
  if (!habit) return [conflictAt(row, "deleted_since")];
  const isCompleted = completions.get(habit_id, date) !== undefined;
  const sum = amounts.get(habit_id, date);
  // The sum that the action left was wiped since, and others began a new one.
  if (sum && row.after && beganAt(sum) > beganAt(row.after))
    return [conflictAt(row, "changed_since", ["amount"])];
  const day = withoutChange({ sum, isCompleted }, row, habit.target ?? null);
  if (day === "gone")
    return [sum ? conflictAt(row, "changed_since", ["amount"]) : conflictAt(row, "deleted_since")];
  const ticked =
    day.isCompleted === isCompleted ? habit : (isCompleted ? reopen : close)(context, row, habit, rows);
  if (typeof ticked === "string") return [conflictAt(row, ticked)];
  writeSum(context, ticked, date, day.sum, beginning(row, sum));
  return [];
};

const beganAt = ({ begun_at }: Image): number => Date.parse(String(begun_at));

/** A wiped sum comes back with its beginning, into what others have counted since. */
function beginning({ before, after }: ChangedRow, sum: Image | undefined): string | undefined {
  const isOlder = before && sum && (after ? beganAt(after) === beganAt(sum) : beganAt(before) < beganAt(sum));
  const kept = sum && !isOlder ? sum : before;
  return kept && String(kept.begun_at);
}

export const takeBackAmount: TableUndo = { restore: takeBack, remove: takeBack, change: takeBack };

type Ticking = (
  context: HandlerContext,
  row: ChangedRow,
  habit: HabitRow,
  rows: ChangedRows,
) => HabitRow | Conflict["why"];

/** A habit that came back is already without the completion. */
const reopen: Ticking = (context, { key: [, date = ""] }, habit) => {
  context.completions.remove(habit.id, date);
  return isDoneOn(habit, date) ? updateHistory(context, habit, withoutDone(habit, date)) : habit;
};

/** The completion that the action took away returns to its place; one that others took away is made anew. */
const close: Ticking = (context, { key }, habit, rows) => {
  const { completions, now } = context;
  const [, local_date = ""] = key;
  const was = rows.get(`habit_completions/${key.join("/")}`)?.before;
  if (!was && habit.skipped_dates.includes(local_date)) return "changed_since";
  const completed_at = String(was?.completed_at ?? now);
  completions.insert({ habit_id: habit.id, local_date, completed_at, note: noteIn(was) });
  if (isDoneOn(habit, local_date)) return habit;
  return updateHistory(context, habit, completed(habit, local_date, completed_at));
};

const noteIn = (image: Image | undefined): string | null =>
  image?.note === undefined ? null : String(image.note);
