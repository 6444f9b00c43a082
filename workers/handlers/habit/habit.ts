import { habitFields } from "../../../shared/contracts/habit/fields.ts";
import type { HabitRow } from "../../../shared/db/entities.ts";
import { presentHabit } from "../../../shared/db/present.ts";
import type { Unsigned } from "../../../shared/domain/author.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import type { Pause } from "../../../shared/domain/habit/free-days.ts";
import { type PauseDates, pauseDaysBack, withPause } from "../../../shared/domain/habit/free-days.ts";
import { edited, noHistory } from "../../../shared/domain/habit/history.ts";
import { streakColumns } from "../../../shared/domain/habit/streak.ts";
import { invalid, isRefused, notFound, type Refused } from "../../../shared/errors.ts";
import { forUpdate, type RowRequest, withoutLock } from "../../unit-of-work/row-request.ts";
import type { OwnRows } from "../../unit-of-work/state.ts";
import { categoryRows, chosenCategory, relatedToChoice } from "../category.ts";
import { givenColumns, newColumns } from "../columns.ts";
import type { Handler, HandlerContext, OwnTables, Related } from "../handler.ts";
import { ringsAfterChange } from "./next-ring.ts";

type OneHabit = Readonly<{ habit_id: number }>;

export const lockHabit = ({ habit_id }: OneHabit): RowRequest[] => [forUpdate("habits", habit_id)];

/** The category is part of the answer. */
export const relatedToHabit = ({ habits }: OwnTables, { habit_id }: OneHabit): Related => ({
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

/** Refuses a schedule that comes with another frequency than `custom`. */
function checkSchedule(
  frequency: string | undefined,
  schedule: object | null | undefined,
): Refused | undefined {
  if (schedule == null || frequency === undefined || frequency === "custom") return undefined;
  return invalid({ schedule: ["The schedule field can only be given with the frequency custom."] });
}

export const noRings = { rings_at: null, rang_on: null, delivery_id: null };

type Clock = Pick<HandlerContext, "today" | "dayStartHour" | "acceptedAt">;

/** Plans a habit's next ring whenever a handler writes the habit, because completions, rules and pauses decide it. */
export function withRings(rows: OwnRows<HabitRow>, clock: Clock): OwnRows<HabitRow> {
  const rings = (row: Unsigned<HabitRow>, before?: HabitRow) => {
    if (row.remind_at == null && row.rings_at == null) return undefined;
    const rules = { timeZone: clock.today.timeZone, dayStartHour: clock.dayStartHour };
    return ringsAfterChange(row, before, rules, clock.acceptedAt);
  };
  return {
    ...rows,
    insert: (row) => rows.insert({ ...row, ...rings(row) }),
    update: (row, patch) => rows.update(row, { ...patch, ...rings({ ...row, ...patch }, row) }),
  };
}

type GivenPause = Readonly<{ [Name in keyof PauseDates]?: PauseDates[Name] | undefined }>;

const noPause: PauseDates = { paused_from: null, paused_through: null };

/** The pause that results from the habit and the fields of a request. Without a first day it has no last day. */
function pauseAfter(old: PauseDates, given: GivenPause): PauseDates {
  const { paused_from = old.paused_from ?? null, paused_through } = given;
  if (paused_through !== undefined) return { paused_from, paused_through };
  return { paused_from, paused_through: paused_from === null ? null : (old.paused_through ?? null) };
}

/** Refuses a pause without a first day, with an end before it, and a new one that begins too far back. */
function checkPause(old: PauseDates, pause: PauseDates, today: string): Refused | undefined {
  const { paused_from: from, paused_through: through } = pause;
  if (from === null)
    return through === null ? undefined : refuse("paused_through", "can only be given with paused_from");
  if (through !== null && through < from)
    return refuse("paused_through", `must not be before paused_from (${from})`);
  const first = addDays(today, -pauseDaysBack);
  if (from === old.paused_from || from >= first) return undefined;
  return refuse("paused_from", `must be ${first} or later, which is at most ${pauseDaysBack} days back`);
}

const refuse = (field: string, demand: string): Refused =>
  invalid({ [field]: [`The ${field} field ${demand}.`] });

/** All pauses after the change; the same pause changes nothing. */
function pausesAfter(
  old: Pick<HabitRow, keyof PauseDates | "pauses">,
  pause: PauseDates,
  today: string,
): readonly Pause[] {
  const isSame =
    (old.paused_from ?? null) === pause.paused_from && (old.paused_through ?? null) === pause.paused_through;
  return isSame ? old.pauses : withPause(old.pauses, pause, today);
}

export const habitCreate: Handler<"habit.create"> = {
  stores: "more",
  makes: "habits",
  rows: categoryRows,
  related: relatedToChoice,
  run(context, input) {
    const category = chosenCategory(context, input);
    if (isRefused(category)) return category;
    const today = context.today.date;
    const pause = pauseAfter(noPause, input);
    const refused =
      checkSchedule(input.frequency, input.schedule) ??
      checkPause(noPause, pause, today) ??
      context.useQuota("habits");
    if (refused) return refused;
    const pauses = pausesAfter({ ...noHistory, ...noPause }, pause, today);
    const columns = { ...newColumns(habitFields, { ...input, ...category() }), ...noHistory, pauses };
    const row = context.habits.insert({
      id: context.nextId("habits"),
      ...columns,
      recent_amounts: {},
      ...streakColumns(columns, today),
      ...noRings,
      former_category_id: null,
      created_at: context.now,
      updated_at: context.now,
    });
    return habitAnswer(context, row);
  },
};

export const habitUpdate: Handler<"habit.update"> = {
  stores: "more",
  rows: (input) => [...lockHabit(input), ...categoryRows(input)],
  related(loaded, input) {
    const [habit, choice] = [relatedToHabit(loaded, input), relatedToChoice(loaded, input)];
    return { rows: [...habit.rows, ...choice.rows], makes: choice.makes };
  },
  current: currentHabit,
  run(context, { habit_id, ...input }) {
    const row = context.habits.get(habit_id);
    const frequency = input.frequency ?? row?.frequency;
    const category = chosenCategory(context, input);
    if (isRefused(category)) return category;
    const refused = checkSchedule(frequency, input.schedule);
    if (refused) return refused;
    if (!row) return notFound("Habit");
    const today = context.today.date;
    const pause = pauseAfter(row, input);
    const wrongPause = checkPause(row, pause, today);
    if (wrongPause) return wrongPause;
    const changed = {
      ...givenColumns(habitFields, { ...input, ...category() }),
      ...pause,
    };
    // Another frequency clears a schedule that the request does not name.
    if (frequency !== row.frequency) changed.schedule ??= null;
    const edits = edited(row, { ...row, ...changed }, today, context.now);
    const pauses = pausesAfter(row, pause, today);
    return habitAnswer(context, updateHistory(context, row, { ...changed, edits, pauses }));
  },
};

export const habitDelete: Handler<"habit.delete"> = {
  rows: lockHabit,
  related: relatedToHabit,
  current: currentHabit,
  run({ habits, amounts, completions }, { habit_id }) {
    const row = habits.get(habit_id);
    if (!row) return notFound("Habit");
    habits.remove(habit_id);
    // Completions stay for an undo. But a habit that its own group made was never visible.
    if (!habits.isKnown(habit_id))
      for (const days of [completions, amounts])
        for (const day of days.all()) if (day.habit_id === habit_id) days.remove(habit_id, day.local_date);
    return { id: habit_id, name: row.name, type: row.type };
  },
};
