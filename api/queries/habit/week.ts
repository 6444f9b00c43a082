import type { Static } from "typebox";
import type { Habit } from "../../../shared/contracts/habit/fields.ts";
import { listsAll, mostCompletionDays, type TodayInput } from "../../../shared/contracts/habit/filters.ts";
import type { HabitRow } from "../../../shared/db/entities.ts";
import { shownOfHabit } from "../../../shared/db/present.ts";
import { columnList, sql } from "../../../shared/db/reads/sql.ts";
import { addDays, dayNumber, isoWeekday } from "../../../shared/domain/day/day.ts";
import type { FreeDays } from "../../../shared/domain/habit/free-days.ts";
import { daysShown } from "../../../shared/domain/habit/history.ts";
import { type Rules, rhythmOf } from "../../../shared/domain/habit/rhythm.ts";
import { graceLeft } from "../../../shared/domain/habit/streak.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import {
  allOf,
  type Condition,
  type QueryContext,
  type QueryHandler,
  readDaySettings,
} from "../engine/context.ts";
import type { Extent } from "../engine/pagination.ts";
import {
  completedOn,
  type DoneDays,
  dueOn,
  type HabitWithCategory,
  habitRows,
  inOrderOfIds,
  mentions,
  ofKind,
  presentHabitRow,
  readDoneDaysOf,
} from "./read.ts";

/** One page holds all habits of anybody except people who test the limits. */
const mostShown = 100;
const mostShownWithHistory = 25;

export const readTodayHabits: QueryHandler<"habit.today"> = async (query, input) => {
  const { query: q, cursor: after, all: _, from: __, to: ___, ...kind } = input;
  const { today } = await readDaySettings(query);
  const isForAll = listsAll(input);
  const where = allOf(ofKind(kind), ...(isForAll ? [] : [dueOn(today.date)]), ...mentions(q));
  const period = periodOf(input, today.date);
  const limit = period ? mostShownWithHistory : mostShown;
  const found = await readHabitsInWeek(query, today, { where, limit: limit + 1, after, period });
  const habits = found.habits
    .slice(0, limit)
    .map(({ habit, isDue, doneDays, periodDays, periodAmounts, ...item }) => ({
      ...habit,
      ...(isForAll && { is_due_today: isDue, ...graceOf(habit, item) }),
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

/** Without a streak there is nothing to forgive. */
const graceOf = (
  { streak_alive_through }: HabitInWeek["habit"],
  { graceLeft }: Pick<HabitInWeek, "graceLeft">,
) => (streak_alive_through === null ? {} : { grace_left: graceLeft });

/** Cuts a period that is too long to its latest part. */
function periodOf({ from, to }: TodayInput, today: string) {
  if (from === undefined) return undefined;
  const end = to ?? (from > today ? from : today);
  const earliest = addDays(end, 1 - mostCompletionDays);
  return { from: from > earliest ? from : earliest, to: end };
}

type DayAmounts = readonly Readonly<{ date: string; amount: number }>[];

export type HabitInWeek = Readonly<{
  habit: Static<typeof Habit>;
  isDue: boolean;
  /** The days of this week on which it was done. */
  doneDays: readonly string[];
  /** The number of days of a week on which it is due; undefined when its rules name none. */
  target: number | undefined;
  /** The misses that its streak still forgives. */
  graceLeft: number;
  /** The days that its pauses and skips free. */
  free: FreeDays;
  /** The days of the requested period on which it was done. */
  periodDays: readonly string[] | undefined;
  /** The sums of these days, for a habit with a target. */
  periodAmounts: DayAmounts | undefined;
}>;

type WeekColumns = Pick<HabitRow, "pauses"> & {
  is_due: boolean;
  done_days: string[];
  period_days?: string[];
  period_amounts?: DayAmounts | null;
};

const columns = columnList("h", [...shownOfHabit, "pauses", "free_dates"]);

type Wanted = Pick<Extent, "limit" | "offset"> &
  Readonly<{
    where: Condition;
    order?: Condition;
    /** Only habits with later ids, in the order of ids; the total counts all. */
    after?: number | undefined;
    /** The number of past days to show for each. */
    period?: Readonly<{ from: string; to: string }> | undefined;
  }>;

/** Habits with their day and week, and the number of all that meet the condition. */
async function readHabitsInWeek(
  query: QueryContext,
  today: Viewer,
  { where, order = inOrderOfIds, after, period, ...part }: Wanted,
): Promise<Readonly<{ habits: HabitInWeek[]; total: number }>> {
  const { monday: from, sunday: to } = weekOf(today.date);
  const total = sql`select count(*) from ${query.own("habits")} h where ${where}`;
  const page = after === undefined ? where : allOf(where, sql`h.id > ${after}::bigint`);
  const rows = await query.rows(sql<HabitWithCategory & WeekColumns>`
    select h.*, ${dueOn(today.date)} as is_due, ${daysDone(query, { from, to })} as done_days
    ${period ? sql`, ${daysDone(query, period)} as period_days, ${amountsIn(query, period)} as period_amounts` : sql``}
    from (${habitRows(query, page, { total, ...part }, { order, columns })}) h ${order}`);
  return { habits: rows.map((row) => inWeek(row, today)), total: rows[0]?.total ?? 0 };
}

const daysDone = ({ own }: QueryContext, { from, to }: NonNullable<Wanted["period"]>): Condition => sql`array(
  select c.local_date from ${own("habit_completions")} c
  where c.habit_id = h.id and c.local_date between ${from}::date and ${to}::date
  order by c.local_date
)`;

const amountsIn = ({ own }: QueryContext, { from, to }: NonNullable<Wanted["period"]>): Condition => sql`(
  select json_agg(json_build_object('date', a.local_date, 'amount', a.amount) order by a.local_date)
  from ${own("habit_amounts")} a
  where a.habit_id = h.id and a.local_date between ${from}::date and ${to}::date
)`;

function inWeek(row: HabitWithCategory & WeekColumns, today: Viewer): HabitInWeek {
  const habit = presentHabitRow(row, today);
  return {
    habit,
    isDue: row.is_due,
    doneDays: row.done_days,
    free: row,
    periodDays: row.period_days,
    periodAmounts: habit.target === null ? undefined : (row.period_amounts ?? []),
    target: daysAskedFor(habit),
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

function orderOf(sort: HabitFilters["sort"], today: string): Condition {
  if (sort === "name") return sql`order by lower(h.name), h.id`;
  if (sort === "streak")
    return sql`order by h.streak_alive_through >= ${today}::date desc nulls last, h.streak desc, h.id`;
  return sql`order by ${dueOn(today)} desc, ${isArchived(today)}, h.time_of_day, h.id`;
}

/** A pause without an end is the archive. */
const isArchived = (today: string): Condition =>
  sql`(h.paused_from is not null and h.paused_from <= ${today}::date and h.paused_through is null)`;

/** The days before today that a row of a habit shows. */
const shownDays = (today: string) => ({ from: addDays(today, -daysShown), to: today });

/** The habits due on a day: those whose streak ends with it first, the done ones last. */
export function readHabitsOfDay(query: QueryContext, today: Viewer): ReturnType<typeof readHabitsInWeek> {
  const { date } = today;
  const order = sql`order by ${completedOn(date)}, (h.streak_alive_through is distinct from ${date}::date),
    h.time_of_day, h.id`;
  return readHabitsInWeek(query, today, {
    ...{ where: dueOn(date), order, limit: habitsPerPage },
    period: shownDays(date),
  });
}

export function readHabitPage(
  query: QueryContext,
  today: Viewer,
  { q, page, sort, ...kind }: HabitFilters & Readonly<{ page: number }>,
): ReturnType<typeof readHabitsInWeek> {
  const where = allOf(ofKind(kind), ...mentions(q));
  const order = orderOf(sort, today.date);
  const part = { limit: habitsPerPage, offset: (page - 1) * habitsPerPage };
  return readHabitsInWeek(query, today, { where, order, ...part, period: shownDays(today.date) });
}

/** A habit with the days of a period up to today on which it was done. */
export type HabitInYear = Readonly<{
  today: Viewer;
  item: HabitInWeek;
  done: DoneDays;
  notes: readonly DayNote[];
}>;

/** A note on a completed day. */
type DayNote = Readonly<{ date: string; note: string }>;

/**
 * @param beginning the period's first day
 * @returns undefined when the habit does not exist
 */
export async function readHabitInYear(
  query: QueryContext,
  habitId: number,
  beginning: (today: string) => string,
): Promise<HabitInYear | undefined> {
  const { today } = await readDaySettings(query);
  const period = { from: beginning(today.date), to: today.date };
  const { habits } = await readHabitsInWeek(query, today, { where: sql`h.id = ${habitId}::bigint` });
  const [item] = habits;
  if (!item) return undefined;
  const done = await readDoneDaysOf(query, period, habitId);
  const notes = await query.rows(sql<DayNote>`
    select c.local_date as date, c.note from ${query.own("habit_completions")} c
    where c.habit_id = ${habitId}::bigint and c.local_date between ${period.from}::date and ${period.to}::date
      and c.note is not null
    order by c.local_date desc`);
  return { today, item, done, notes };
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
