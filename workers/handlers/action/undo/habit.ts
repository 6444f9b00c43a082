import { habitFields } from "../../../../shared/contracts/habit/fields.ts";
import type { HabitRow } from "../../../../shared/db/entities.ts";
import { countField, isSame } from "../../../../shared/domain/action/image-fields.ts";
import {
  type DaySettings,
  daySettingsField,
  type History,
  historyField,
  skippedField,
} from "../../../../shared/domain/action/images.ts";
import { localDay } from "../../../../shared/domain/day/day.ts";
import { type Edit, isDoneOn, moved, noHistory } from "../../../../shared/domain/habit/history.ts";
import { newColumns } from "../../columns.ts";
import { updateHistory } from "../../habit/habit.ts";
import type { HandlerContext } from "../../handler.ts";
import {
  type ChangedRow,
  type Conflict,
  conflictAt,
  idOf,
  inPresentCategory,
  oldValues,
  type TableUndo,
  touched,
} from "./changed-row.ts";

const ruleFields = ["frequency", "schedule", "grace_days"];
/** An image has no nulls. */
const usualColumns = { ...newColumns(habitFields, {}), ...noHistory };

export const takeBackHabit: TableUndo = {
  restore(context, row) {
    const id = idOf(row);
    if (context.habits.get(id)) return [conflictAt(row, "made_again")];
    const { [daySettingsField]: day, ...before } = row.before ?? {};
    const { patch, conflicts } = inPresentCategory(context, row, { patch: before, conflicts: [] });
    const habit = context.habits.insert({ ...usualColumns, ...(patch as Omit<HabitRow, "id">), id });
    followMoves(context, habit, day as DaySettings);
    return conflicts;
  },
  remove(context, row) {
    const { habits } = context;
    const current = habits.get(idOf(row));
    if (!current) return [conflictAt(row, "deleted_since")];
    const conflicts = touched(context, row, current);
    if (conflicts.length > 0) return conflicts;
    if (!isSame(current.completions_count, row.after?.[countField]))
      return [conflictAt(row, "changed_since", [countField])];
    habits.remove(current.id);
    return [];
  },
  change(context, row) {
    const { habits } = context;
    const current = habits.get(idOf(row));
    if (!current) return [conflictAt(row, "deleted_since")];
    const fields = oldValues(context, withoutRules(row), current);
    const old = inPresentCategory(context, row, fields);
    const history = historyUndone(row, current, old.patch);
    const patch = { ...old.patch, ...history.patch };
    if (Object.keys(patch).length > 0) updateHistory(context, current, patch);
    return [...old.conflicts, ...history.conflicts];
  },
};

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
