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
import { newColumns } from "../../columns.ts";
import { streakColumns } from "../../habit/rows.ts";
import { rulesOf } from "../../habit/rules.ts";
import { movedMeanwhile, withoutEdit, withoutPauseChange, withSkipChange } from "../../habit/streak-undo.ts";
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
/** Images of earlier releases lack columns that came later. */
const usualColumns = {
  ...newColumns(habitFields, {}),
  ...{ free_dates: "{}", skipped_dates: [], recent_amounts: {} },
};
const pauseFields = ["paused_from", "paused_through"];

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
    const { habits, now } = context;
    const current = habits.get(idOf(row));
    if (!current) return [conflictAt(row, "deleted_since")];
    const old = inPresentCategory(
      context,
      row,
      oldValues(context, withoutRules(row), current, [pauseFields]),
    );
    const pause = pauseUndone(context, row, current, old.patch);
    const edit = ruleFields.some((name) => name in (row.before ?? {}))
      ? editUndone(context, row, { ...current, ...pause })
      : noEdit;
    const patch = { ...old.patch, ...pause, ...edit.patch };
    const skips = skipsUndone(context, row, { ...current, ...patch });
    const all = { ...patch, ...skips.patch };
    if (Object.keys(all).length > 0) habits.update(current, { ...all, updated_at: now });
    return [...old.conflicts, ...edit.conflicts, ...skips.conflicts];
  },
};

/** The user may have moved to another zone or start of day since the deletion. */
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
      Object.entries(image).filter(
        ([name]) => name !== historyField && name !== skippedField && !ruleFields.includes(name),
      ),
    );
  return { ...row, before: others(row.before), after: others(row.after) };
}

type Edit = Readonly<{ patch: Partial<HabitRow>; conflicts: readonly Conflict[] }>;
const noEdit: Edit = { patch: {}, conflicts: [] };

type Skips = Readonly<{ patch?: Partial<HabitRow>; conflicts: readonly Conflict[] }>;

/** Removes the skips that an action made, and restores those that it removed. */
function skipsUndone({ today }: HandlerContext, row: ChangedRow, habit: HabitRow): Skips {
  const [before, after] = [row.before?.[skippedField], row.after?.[skippedField]] as (string[] | undefined)[];
  if (!before || !after) return { conflicts: [] };
  const change = {
    added: before.filter((date) => !after.includes(date)),
    removed: after.filter((date) => !before.includes(date)),
  };
  const state = withSkipChange(habit.streak_state, rulesOf(habit), today.date, change);
  if (typeof state !== "string") return { patch: streakColumns(state, rulesOf(habit)), conflicts: [] };
  const isSettled = state === "settled";
  return {
    conflicts: [
      isSettled ? conflictAt(row, "day_is_settled") : conflictAt(row, "changed_since", [skippedField]),
    ],
  };
}

/** Restores the pause that an action set or ended, if both fields are as the action left them. */
function pauseUndone(
  { today }: HandlerContext,
  row: ChangedRow,
  current: HabitRow,
  restored: Readonly<Record<string, unknown>>,
): Partial<HabitRow> {
  if (!pauseFields.some((name) => name in restored)) return {};
  const before = row.before?.[historyField] as History;
  const rules = rulesOf(current);
  const state = withoutPauseChange(current.streak_state, rules, today.date, before.free);
  return streakColumns(state, rules);
}

/** The rules count as one field, because the streak follows from all of them. */
function editUndone({ today }: HandlerContext, row: ChangedRow, current: HabitRow): Edit {
  const [before, after] = [row.before?.[historyField] as History, row.after?.[historyField] as History];
  const rules = rulesOf(current);
  if (!isSame(rules, after.rules))
    return { patch: {}, conflicts: [conflictAt(row, "changed_since", ruleFields)] };
  const events = { before: before.events, after: after.events };
  const state = withoutEdit(current.streak_state, rules, before.rules, today.date, events);
  return { patch: { ...before.rules, ...streakColumns(state, before.rules) }, conflicts: [] };
}
