import type { HabitRow } from "../../../../shared/db/entities.ts";
import { type History, historyField } from "../../../../shared/domain/action/images.ts";
import { complete, firstChangeableDay } from "../../../../shared/domain/habit/streak.ts";
import { withoutChange } from "../../habit/amount/day-sum.ts";
import { writeSum } from "../../habit/amount/rows.ts";
import { updateStreak } from "../../habit/rows.ts";
import { rulesOf } from "../../habit/rules.ts";
import { restoredCompletion, withoutCompletionOf } from "../../habit/streak-undo.ts";
import type { HandlerContext } from "../../handler.ts";
import {
  type ChangedRow,
  type ChangedRows,
  type Conflict,
  conflictAt,
  idOf,
  type TableUndo,
} from "./changed-row.ts";

/** Others may have added to the day since: the sum goes back by what the action added, and decides about the completion. */
const takeBack: TableUndo["change"] = (context, row, rows) => {
  const { habits, amounts, completions } = context;
  const [habit_id, [, date = ""]] = [idOf(row), row.key];
  const habit = habits.get(habit_id);
  if (!habit) return [conflictAt(row, "deleted_since")];
  const isCompleted = completions.get(habit_id, date) !== undefined;
  const sum = amounts.get(habit_id, date);
  const day = withoutChange({ sum, isCompleted }, row, habit.target ?? null);
  if (day === "gone")
    return [sum ? conflictAt(row, "changed_since", ["amount"]) : conflictAt(row, "deleted_since")];
  const ticked =
    day.isCompleted === isCompleted ? habit : (isCompleted ? reopen : close)(context, row, habit, rows);
  if (typeof ticked === "string") return [conflictAt(row, ticked)];
  writeSum(context, ticked, date, day.sum);
  return [];
};

export const takeBackAmount: TableUndo = { restore: takeBack, remove: takeBack, change: takeBack };

type Ticking = (
  context: HandlerContext,
  row: ChangedRow,
  habit: HabitRow,
  rows: ChangedRows,
) => HabitRow | Conflict["why"];

/** The streak of a habit that came back is already without the completion. */
const reopen: Ticking = (context, { key: [, date = ""] }, habit) => {
  const { completions, today } = context;
  const state = withoutCompletionOf(habit.streak_state, rulesOf(habit), date, today.date);
  if (state === "settled") return "day_is_settled";
  completions.remove(habit.id, date);
  return state === "not_completed" ? habit : updateStreak(context, habit, state, habit.completions_count - 1);
};

/** The completion that the action took away returns to its place; one that others took away is made anew. */
const close: Ticking = (context, { key }, habit, rows) => {
  const { completions, now } = context;
  const [, local_date = ""] = key;
  const was = rows.get(`habit_completions/${key.join("/")}`)?.before;
  const state = completedState(context, local_date, habit, was && rows.get(`habits/${habit.id}`));
  if (state === "settled") return "day_is_settled";
  if (state === "skipped") return "changed_since";
  completions.insert({ habit_id: habit.id, local_date, completed_at: String(was?.completed_at ?? now) });
  return state === "already_completed"
    ? habit
    : updateStreak(context, habit, state, habit.completions_count + 1);
};

function completedState(
  { today }: HandlerContext,
  date: string,
  { streak_state, ...habit }: HabitRow,
  ofHabit: ChangedRow | undefined,
) {
  const rules = rulesOf({ streak_state, ...habit });
  const [before, after] = [ofHabit?.before?.[historyField], ofHabit?.after?.[historyField]];
  if (before && after) {
    const events = { before: (before as History).events, after: (after as History).events };
    return restoredCompletion(streak_state, rules, date, today.date, events);
  }
  return date < firstChangeableDay(streak_state)
    ? "settled"
    : complete(streak_state, rules, date, today.date);
}
