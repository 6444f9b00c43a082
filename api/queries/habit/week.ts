import { type Expression, expressionBuilder, type NotNull, sql } from "kysely";
import { listsAll, mostCompletionDays, type TodayInput } from "../../../shared/contracts/habit/filters.ts";
import {
  type Found,
  own,
  parameters,
  type RowOf,
  selectFrom,
  statement,
  statements,
} from "../../../shared/db/reads/statement.ts";
import { addDays, dayNumber, isoWeekday } from "../../../shared/domain/day/day.ts";
import type { FreeDays } from "../../../shared/domain/habit/free-days.ts";
import { daysShown } from "../../../shared/domain/habit/history.ts";
import { type Rules, rhythmOf } from "../../../shared/domain/habit/rhythm.ts";
import { graceLeft, streakRuns } from "../../../shared/domain/habit/streak.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import { type QueryContext, type QueryHandler, readDaySettings } from "../engine/context.ts";
import type { Extent } from "../engine/pagination.ts";
import {
  byId,
  completedOn,
  countHabits,
  dueOn,
  type HabitConditions,
  type HabitValues,
  habitFilters,
  habitRows,
  habitsWhere,
  habitValues,
  presentHabitRow,
  readDoneDays,
} from "./read.ts";

/** One page holds all habits of anybody except people who test the limits. */
const mostShown = 100;
const mostShownWithHistory = 25;

export const readTodayHabits: QueryHandler<"habit.today"> = async (query, input) => {
  const { query: q, cursor: after, all: _, from: __, to: ___, ...kind } = input;
  const { today } = await readDaySettings(query);
  const isForAll = listsAll(input);
  const filters = habitFilters({ ...kind, ...(q !== undefined && { q }) }, isForAll ? [] : ["due"]);
  const period = periodOf(input, today.date);
  const limit = period ? mostShownWithHistory : mostShown;
  const found = await readHabitsInWeek(query, today, { ...filters, limit: limit + 1, after, period });
  const habits = found.habits
    .slice(0, limit)
    .map(({ habit, isDue, doneDays, periodDays, periodAmounts, ...item }) => ({
      ...habit,
      ...(isForAll && {
        is_due_today: isDue,
        // Without a streak there is nothing to forgive.
        ...(habit.streak_alive_through !== null && { grace_left: item.graceLeft }),
      }),
      week_progress: item.target === undefined ? null : { done: doneDays.length, target: item.target },
      ends_tonight: habit.streak_alive_through === today.date,
      ...(periodDays && { done_days: [...periodDays] }),
      ...(periodDays && periodAmounts && { day_amounts: [...periodAmounts] }),
    }));
  return {
    today: today.date,
    time_zone: today.timeZone,
    habits,
    total: found.total,
    ...(period && { period }),
    next_cursor: found.habits.length > limit ? (habits.at(-1)?.id ?? null) : null,
  };
};

/** Cuts a period that is too long to its latest part. */
function periodOf({ from, to }: TodayInput, today: string) {
  if (from === undefined) return undefined;
  const end = to ?? (from > today ? from : today);
  const earliest = addDays(end, 1 - mostCompletionDays);
  return { from: from > earliest ? from : earliest, to: end };
}

type DayAmounts = readonly Readonly<{ date: string; amount: number }>[];

const { ref, and } = expressionBuilder<{ h: RowOf<"habits">; a: RowOf<"habit_amounts"> }, "h" | "a">();
const value = parameters(habitValues);
type Days = Readonly<{ from: Expression<string>; to: Expression<string> }>;

const daysDone = ({ from, to }: Days) =>
  sql<string[]>`array${selectFrom(own("habit_completions").as("c"))
    .select("c.local_date")
    .where("c.habit_id", "=", ref("h.id"))
    .where((eb) => eb.between("c.local_date", from, to))
    .orderBy("c.local_date")}`;

const amountsIn = ({ from, to }: Days) => sql<DayAmounts | null>`(
  select json_agg(json_build_object('date', ${ref("a.local_date")}, 'amount', ${ref("a.amount")}) order by ${ref("a.local_date")})
  from ${own("habit_amounts")} a
  where ${ref("a.habit_id")} = ${ref("h.id")} and ${ref("a.local_date")} between ${from} and ${to}
)`;

/** A pause without an end is the archive. */
const isArchived = (today: Expression<string>) =>
  sql`(${ref("h.paused_from")} is not null and ${ref("h.paused_from")} <= ${today} and ${ref("h.paused_through")} is null)`;

const orders = {
  ids: () => byId,
  name: () => sql`lower(${ref("h.name")}), ${byId}`,
  streak: (today: Expression<string>) =>
    sql`${ref("h.streak_alive_through")} >= ${today} desc nulls last, ${ref("h.streak")} desc, ${byId}`,
  usual: (today: Expression<string>) =>
    sql`${dueOn(today)} desc, ${isArchived(today)}, ${ref("h.time_of_day")}, ${byId}`,
  /** Habits whose streak ends with the day come first, the done ones last. */
  day: (today: Expression<string>) =>
    sql`${completedOn(today)}, (${ref("h.streak_alive_through")} is distinct from ${today}), ${ref("h.time_of_day")}, ${byId}`,
};

type Shape = Extent &
  Readonly<{ wanted: HabitConditions; order: keyof typeof orders; isAfter: boolean; hasPeriod: boolean }>;

const habitsInWeek = statements(habitValues, (_, { wanted, order, isAfter, hasPeriod, ...extent }: Shape) => {
  const all = habitsWhere(wanted);
  const where = isAfter ? and([all, sql<boolean>`${ref("h.id")} > ${value("after")}`]) : all;
  const period = { from: value("from"), to: value("to") };
  const part = { ...extent, order: orders[order](value("today")), total: sql<number>`${countHabits(all)}` };
  return habitRows(where, part)
    .select(["h.pauses", "h.free_dates"])
    .select([
      dueOn(value("today")).as("is_due"),
      daysDone({ from: value("monday"), to: value("sunday") }).as("done_days"),
    ])
    .$if(hasPeriod, (rows) =>
      rows.select([daysDone(period).as("period_days"), amountsIn(period).as("period_amounts")]),
    );
});

type Wanted = Readonly<{
  wanted: HabitConditions;
  values?: HabitValues;
  order?: keyof typeof orders;
  limit?: number;
  offset?: number;
  /** Only habits with later ids, in the order of ids; the total counts all. */
  after?: number | undefined;
  period?: Readonly<{ from: string; to: string }> | undefined;
}>;

/** Habits with their day and week, and the number of all that meet the conditions. */
async function readHabitsInWeek(
  query: QueryContext,
  today: Viewer,
  { wanted, values, order = "ids", after, period, limit, offset = 0 }: Wanted,
) {
  const shape = { wanted, order, isAfter: after !== undefined, hasPeriod: period !== undefined };
  const extent = limit === undefined ? {} : { limit, isLater: offset > 0 };
  const days = { today: today.date, ...weekOf(today.date), ...period };
  const rows = await query.rows(habitsInWeek({ ...shape, ...extent }, { ...values, ...days, after, offset }));
  return { habits: rows.map((row) => inWeek(row, today)), total: rows[0]?.total ?? 0 };
}

export type HabitInWeek = Readonly<ReturnType<typeof inWeek>>;

function inWeek(row: Found<typeof habitsInWeek>, today: Viewer) {
  const habit = presentHabitRow(row, today);
  const free: FreeDays = row;
  return {
    habit,
    isDue: row.is_due,
    /** The days of this week on which it was done. */
    doneDays: row.done_days,
    /** The days that its pauses and skips free. */
    free,
    /** The days of the requested period on which it was done, and their sums for a habit with a target. */
    periodDays: row.period_days,
    periodAmounts: habit.target === null ? undefined : (row.period_amounts ?? []),
    /** The number of days of a week on which it is due; undefined when its rules name none. */
    target: daysAskedFor(habit),
    /** The misses that its streak still forgives. */
    graceLeft: graceLeft(row, today.date),
  };
}

export const habitsPerPage = 100;

export const habitSorts = ["name", "streak"] as const;

export type HabitFilters = Readonly<{
  q?: string;
  category_id?: number;
  /** Without it, those due today come first, and archived ones last. */
  sort?: (typeof habitSorts)[number] | undefined;
}>;

/** The days before today that a row of a habit shows. */
const shownDays = (today: string) => ({ from: addDays(today, -daysShown), to: today });

/** The habits due on a day: those whose streak ends with it first, the done ones last. */
export const readHabitsOfDay = (query: QueryContext, today: Viewer) =>
  readHabitsInWeek(query, today, {
    ...{ wanted: ["due"], order: "day", limit: habitsPerPage },
    period: shownDays(today.date),
  });

export function readHabitPage(
  query: QueryContext,
  today: Viewer,
  { page, sort, ...kind }: HabitFilters & Readonly<{ page: number }>,
) {
  const part = { limit: habitsPerPage, offset: (page - 1) * habitsPerPage };
  return readHabitsInWeek(query, today, {
    ...{ ...habitFilters(kind), ...part, order: sort ?? "usual" },
    period: shownDays(today.date),
  });
}

/** A habit with the days of a period up to today on which it was done. */
export type HabitInYear = NonNullable<Awaited<ReturnType<typeof readHabitInYear>>>;

const notesOfHabit = statement({ habit_id: "bigint", from: "date", to: "date" }, (value) =>
  selectFrom(own("habit_completions").as("c"))
    .select(["c.local_date as date", "c.note"])
    .where("c.habit_id", "=", value("habit_id"))
    .where((eb) => eb.between("c.local_date", value("from"), value("to")))
    .where("c.note", "is not", null)
    .orderBy("c.local_date", "desc")
    .$narrowType<{ note: NotNull }>(),
);

const historyOfHabit = statement({ habit_id: "bigint" }, (value) =>
  selectFrom(own("habits").as("h")).selectAll("h").where("h.id", "=", value("habit_id")),
);

/**
 * @param beginning the period's first day
 * @returns undefined when the habit does not exist
 */
export async function readHabitInYear(
  query: QueryContext,
  habit_id: number,
  beginning: (today: string) => string,
) {
  const { today } = await readDaySettings(query);
  const period = { from: beginning(today.date), to: today.date };
  const one = { wanted: ["one"], values: { habit_id } } as const;
  const [item] = (await readHabitsInWeek(query, today, one)).habits;
  if (!item) return undefined;
  const done = await readDoneDays(query, period, habit_id);
  const notes = await query.rows(notesOfHabit({ habit_id, ...period }));
  const [history] = await query.rows(historyOfHabit({ habit_id }));
  return { today, item, done, notes, streaks: history ? streakRuns(history, today.date) : [] };
}

/** The Monday and the Sunday of a day's week. */
export function weekOf(date: string): Readonly<{ monday: string; sunday: string }> {
  const monday = addDays(date, 1 - isoWeekday(dayNumber(date)));
  return { monday, sunday: addDays(monday, 6) };
}

/** The first day of a date's week as somebody sees weeks. @param firstWeekday 1 is Monday */
export const firstOfWeek = (date: string, firstWeekday: number): string =>
  addDays(date, -((isoWeekday(dayNumber(date)) - firstWeekday + 7) % 7));

/**
 * The number of days on which a habit's rules ask for it in a week. The habit can be done on more days.
 * @returns undefined for `every_days`, because no week asks for a number of days
 */
export function daysAskedFor(rules: Rules): number | undefined {
  const rhythm = rhythmOf(rules);
  if ("times" in rhythm) return rhythm.times;
  if ("weekdays" in rhythm) return rhythm.weekdays.length;
  return rhythm.every === 1 ? 7 : undefined;
}
