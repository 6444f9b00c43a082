import type { HabitRow } from "../../../../shared/db/entities.ts";
import { countField, isSame } from "../../../../shared/domain/action/image-fields.ts";
import {
  type DaySettings,
  daySettingsField,
  type History,
  historyField,
} from "../../../../shared/domain/action/images.ts";
import { streakColumns } from "../../habit/rows.ts";
import { rulesOf } from "../../habit/rules.ts";
import { movedMeanwhile, withoutEdit } from "../../habit/streak-undo.ts";
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

export const takeBackHabit: TableUndo = {
  restore(context, row) {
    const id = idOf(row);
    if (context.habits.get(id)) return [conflictAt(row, "made_again")];
    const { [daySettingsField]: day, ...before } = row.before ?? {};
    const { patch, conflicts } = inPresentCategory(context, row, { patch: before, conflicts: [] });
    const habit = context.habits.insert({ ...(patch as Omit<HabitRow, "id">), id });
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
    const { habits, now } = context;
    const current = habits.get(idOf(row));
    if (!current) return [conflictAt(row, "deleted_since")];
    const old = inPresentCategory(context, row, oldValues(withoutRules(row), current, []));
    const edit = ruleFields.some((name) => name in (row.before ?? {}))
      ? editUndone(context, row, current)
      : noEdit;
    const patch = { ...old.patch, ...edit.patch };
    if (Object.keys(patch).length > 0) habits.update(current, { ...patch, updated_at: now });
    return [...old.conflicts, ...edit.conflicts];
  },
};

/** The user may have moved to another zone or start of day since the habit was deleted. */
function followMoves(context: HandlerContext, habit: HabitRow, from: DaySettings): void {
  const { habits, today, dayStartHour, acceptedAt } = context;
  const to = { time_zone: today.timeZone, day_start_hour: dayStartHour };
  if (isSame(from, to)) return;
  const rules = rulesOf(habit);
  const moved = movedMeanwhile(habit.streak_state, rules, { from, to }, acceptedAt);
  habits.update(habit, streakColumns(moved, rules));
}

function withoutRules(row: ChangedRow): ChangedRow {
  const others = (image: ChangedRow["before"] = {}) =>
    Object.fromEntries(
      Object.entries(image).filter(([name]) => name !== historyField && !ruleFields.includes(name)),
    );
  return { ...row, before: others(row.before), after: others(row.after) };
}

type Edit = Readonly<{ patch: Partial<HabitRow>; conflicts: readonly Conflict[] }>;
const noEdit: Edit = { patch: {}, conflicts: [] };

/** The rules are one thing: the streak follows from all of them. */
function editUndone({ today }: HandlerContext, row: ChangedRow, current: HabitRow): Edit {
  const [before, after] = [row.before?.[historyField] as History, row.after?.[historyField] as History];
  const rules = rulesOf(current);
  if (!isSame(rules, after.rules))
    return { patch: {}, conflicts: [conflictAt(row, "changed_since", ruleFields)] };
  const events = { before: before.events, after: after.events };
  const state = withoutEdit(current.streak_state, rules, before.rules, today.date, events);
  return { patch: { ...before.rules, ...streakColumns(state, before.rules) }, conflicts: [] };
}
