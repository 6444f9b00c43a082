import { habitFields } from "../../../../shared/contracts/habit/fields.ts";
import type { HabitCompletionRow, HabitRow } from "../../../../shared/db/entities.ts";
import { countField, type Image, isSame } from "../../../../shared/domain/action/image-fields.ts";
import {
  type DaySettings,
  daySettingsField,
  type History,
  historyField,
  skippedField,
} from "../../../../shared/domain/action/images.ts";
import { localDay } from "../../../../shared/domain/day/day.ts";
import {
  completed,
  type Edit,
  isDoneOn,
  moved,
  noHistory,
  withoutDone,
} from "../../../../shared/domain/habit/history.ts";
import { newColumns } from "../../columns.ts";
import { withoutChange, writeSum } from "../../habit/days.ts";
import { updateHistory } from "../../habit/habit.ts";
import type { HandlerContext } from "../../handler.ts";
import {
  type ChangedRow,
  type ChangedRows,
  type Conflict,
  conflictAt,
  idOf,
  oldValues,
  touched,
  type UndoRow,
  undoing,
} from "./changed-row.ts";

const ruleFields = ["frequency", "schedule", "grace_days"];

export const takeBackHabit = undoing<HabitRow>({
  rowsIn: ({ habits }) => habits,
  // An image has no nulls.
  usual: { ...newColumns(habitFields, {}), ...noHistory },
  returned: (context, row, habit) =>
    followMoves(context, habit, row.before?.[daySettingsField] as DaySettings),
  conflicts(context, row, current) {
    const conflicts = touched(context, row, current);
    return conflicts.length > 0 || isSame(current.completions_count, row.after?.[countField])
      ? conflicts
      : [conflictAt(row, "changed_since", [countField])];
  },
  change(context, row, current) {
    const old = oldValues(context, withoutRules(row), current);
    const history = historyUndone(row, current, old.patch);
    const patch = { ...old.patch, ...history.patch };
    if (Object.keys(patch).length > 0) updateHistory(context, current, patch);
    return [...old.conflicts, ...history.conflicts];
  },
});

/** The user may have moved to another zone or start of day since the deletion: that counts as if it happened now. */
function followMoves(context: HandlerContext, habit: HabitRow, from: DaySettings): void {
  const { today, dayStartHour, acceptedAt } = context;
  const to = { time_zone: today.timeZone, day_start_hour: dayStartHour };
  const isAsBefore = isSame(from, to);
  const before = localDay(acceptedAt, from.time_zone, from.day_start_hour);
  const days = isAsBefore || before === today.date ? {} : moved(habit, before, today.date);
  updateHistory(context, habit, { ...days, updated_at: habit.updated_at });
}

function withoutRules(row: ChangedRow): ChangedRow {
  const others = (image: ChangedRow["before"] = {}) =>
    Object.fromEntries(
      Object.entries(image).filter(
        ([name]) => name !== historyField && name !== skippedField && !ruleFields.includes(name),
      ),
    );
  return { ...row, before: others(row.before), after: others(row.after) };
}

type Undone = Readonly<{ patch: Partial<HabitRow>; conflicts: readonly Conflict[] }>;

/**
 * The edits, pauses and skips without those of the action.
 * @param restored the fields that have their old values again
 */
function historyUndone(row: ChangedRow, habit: HabitRow, restored: Partial<HabitRow>): Undone {
  const [before, after] = [row.before?.[historyField], row.after?.[historyField]] as (History | undefined)[];
  const skips = skipsUndone(row, habit);
  if (!before || !after) return skips;
  const pauses = "paused_from" in restored ? { pauses: before.pauses } : {};
  const edit = editUndone(row, habit, before, after);
  return {
    patch: { ...skips.patch, ...pauses, ...edit.patch },
    conflicts: [...edit.conflicts, ...skips.conflicts],
  };
}

function editUndone(row: ChangedRow, habit: HabitRow, before: History, after: History): Undone {
  if (isSame(before.rules, after.rules)) return { patch: {}, conflicts: [] };
  if (!sameRules(habit, after.rules))
    return { patch: {}, conflicts: [conflictAt(row, "changed_since", ruleFields)] };
  return { patch: { ...before.rules, edits: editsUndone(before.edits, habit) }, conflicts: [] };
}

/** The rules count as one field, because the streak follows from all of them. */
const sameRules = ({ frequency, schedule = null, grace_days }: HabitRow, rules: History["rules"]): boolean =>
  isSame({ frequency, schedule, grace_days }, rules);

/** The edits before the action. Later ones led away from its rules and back, so they go as well. */
const editsUndone = (before: readonly Edit[], habit: HabitRow): Edit[] =>
  before.map((edit, index) => {
    const now = habit.edits[index];
    if (now?.at === edit.at) return now;
    return { ...edit, after: edit.after.filter((date) => isDoneOn(habit, date)) };
  });

/** Removes the skips that an action made, and restores those that it removed. */
function skipsUndone(row: ChangedRow, habit: HabitRow): Undone {
  const [added, removed] = [row.before?.[skippedField], row.after?.[skippedField]] as (
    | string[]
    | undefined
  )[];
  if (!added || !removed) return { patch: {}, conflicts: [] };
  const { skipped_dates } = habit;
  const isSkipped = (date: string) => skipped_dates.includes(date);
  if (!removed.every(isSkipped) || added.some((date) => isSkipped(date) || isDoneOn(habit, date)))
    return { patch: {}, conflicts: [conflictAt(row, "changed_since", [skippedField])] };
  const kept = skipped_dates.filter((date) => !removed.includes(date));
  return { patch: { skipped_dates: [...kept, ...added].sort() }, conflicts: [] };
}

export const takeBackCompletion = undoing<HabitCompletionRow>({
  rowsIn: ({ completions }) => completions,
  ownersIn: ({ habits }) => habits,
  // The day's sum decides whether it is completed.
  follows: ({ key }, rows) => rows.has(`habit_amounts/${key.join("/")}`),
  isTaken(context, row, rows) {
    const [id, [, date = ""]] = [idOf(row), row.key];
    const [name, habit] = [`habits/${id}`, context.habits.get(id)];
    // A habit that the same undo brought back has its day.
    const isBack = rows.has(name) && rows.get(name)?.after === undefined;
    return hasSum(context, id, date) || (!isBack && habit !== undefined && isDoneOn(habit, date));
  },
  usual: { note: null },
  returned(context, { key: [id, date = ""] }, { completed_at }) {
    const habit = context.habits.get(Number(id));
    if (habit && !isDoneOn(habit, date)) updateHistory(context, habit, completed(habit, date, completed_at));
  },
  conflicts(context, row, current) {
    if (hasSum(context, current.habit_id, current.local_date))
      return [conflictAt(row, "changed_since", ["amount"])];
    const conflicts = touched(context, row, current);
    // Somebody else may have undone it and completed the same day again.
    const isOther = conflicts.some(({ fields }) => fields.includes("completed_at"));
    return isOther ? [conflictAt(row, "made_again")] : conflicts;
  },
  remove(context, { habit_id, local_date }) {
    const habit = context.habits.get(habit_id);
    context.completions.remove(habit_id, local_date);
    if (habit) updateHistory(context, habit, withoutDone(habit, local_date));
  },
});

/** True where others have counted on the day since, which was ticked off without an amount. */
const hasSum = ({ amounts }: HandlerContext, id: number, date: string): boolean =>
  amounts.get(id, date) !== undefined;

/** Others may have added to the day since: the sum goes back by what the action added, and decides about the completion. */
export const takeBackAmount: UndoRow = (context, row, rows) => {
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
