import type { InputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import { mostCompletionDays } from "../../../shared/contracts/habit/filters.ts";
import type { HabitAmountRow, HabitCompletionRow } from "../../../shared/db/entities.ts";
import { presentHabit, type ShownHabitRow, shownOfHabit } from "../../../shared/db/present.ts";
import { columnList, literal, sql } from "../../../shared/db/reads/sql.ts";
import { dayNumber, isoWeekday, timestamp } from "../../../shared/domain/day/day.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import { notFound } from "../../../shared/errors.ts";
import { type CategoryColumns, categoryOf } from "../category/read.ts";
import {
  allOf,
  type Condition,
  type DaySettingsColumns,
  daySettingsColumns,
  daySettingsOf,
  type QueryContext,
  type QueryHandler,
  readDaySettings,
} from "../engine/context.ts";
import { type Extent, limitClause, readPage } from "../engine/pagination.ts";
import { hasText } from "../engine/search.ts";

export const readHabits: QueryHandler<"habit.list"> = async (query, input) => {
  const where = await filtering(query, input);
  return readPage(query, input, {
    path: "habits",
    count: sql<{ total: number }>`select count(*) as total from ${query.own("habits")} h where ${where}`,
    rows: (extent) => habitRows(query, where, extent),
    present: (rows) => presentHabits(rows, daySettingsOf(rows, query).today),
  });
};

type Filters = Omit<InputOf<Queries["habit.list"]>, "page">;

/** No filter has an index, because a user's habits are few. So filters share few statements. */
async function filtering(query: QueryContext, filters: Filters): Promise<Condition> {
  const { q, completed_today = null, due } = filters;
  const conditions = [ofKind(filters)];
  if (completed_today !== null || due !== undefined) {
    const { date } = (await readDaySettings(query)).today;
    conditions.push(
      sql`(${completed_today}::boolean is null or ${completedOn(date)} = ${completed_today}::boolean)`,
      sql`(${due ?? null}::text is null or ${dueOn(date)})`,
    );
  }
  return allOf(...conditions, ...mentions(q));
}

/** The condition of a search, or none. */
export const mentions = (q: string | undefined): Condition[] =>
  q === undefined ? [] : [hasText([sql`h.name`, sql`h.description`], q)];

export function ofKind({ frequency, time_of_day, category_id }: Filters): Condition {
  if (frequency === undefined && time_of_day === undefined && category_id === undefined) return sql`true`;
  const [wanted, time, category] = [frequency ?? null, time_of_day ?? null, category_id ?? null];
  return sql`(${wanted}::text is null or h.frequency = ${wanted}::text)
    and (${time}::time_of_day is null or h.time_of_day = ${time}::time_of_day)
    and (${category}::bigint is null or h.category_id = ${category}::bigint)`;
}

export const readHabit: QueryHandler<"habit.get"> = async (query, { habit_id }) => {
  const rows = await query.rows(habitRows(query, sql`h.id = ${habit_id}::bigint`));
  return presentHabits(rows, daySettingsOf(rows, query).today)[0] ?? notFound("Habit");
};

export const completedOn = (date: string): Condition => sql`(${date}::date = any(h.recent_dates))`;

/** `isDueOn` of shared/domain/habit/streak.ts as a condition on a habit's columns; a test compares the two. */
export const dueOn = (date: string): Condition => sql`(
  ${completedOn(date)} or (
    not h.free_dates @> ${date}::date
    and (h.next_due is null or h.next_due <= ${date}::date)
    and (h.schedule -> 'weekdays' is null or h.schedule -> 'weekdays' @> ${String(isoWeekday(dayNumber(date)))}::jsonb)
  )
)`;

export type HabitWithCategory = ShownHabitRow & CategoryColumns & DaySettingsColumns & { total: number };

export const inOrderOfIds: Condition = sql`order by h.id`;

const habitColumns = columnList("h", shownOfHabit);

/** Habits in an order, each with its category and the day settings. */
export const habitRows = (
  query: QueryContext,
  where: Condition,
  { total = sql`0`, ...extent }: Extent = {},
  { order = inOrderOfIds, columns = habitColumns } = {},
) => sql<HabitWithCategory>`
  select ${columns}, c.name as category_name, c.color as category_color,
    ${daySettingsColumns}, (${total}) as total
  from (select * from ${query.own("habits")} h where ${where} ${order} ${limitClause(extent)}) h
  left join ${query.own("categories")} c on c.id = h.category_id
  ${order}`;

export const presentHabits = (rows: readonly HabitWithCategory[], today: Viewer) =>
  rows.map((row) => presentHabitRow(row, today));

export const presentHabitRow = (row: HabitWithCategory, today: Viewer) =>
  presentHabit(row, categoryOf(row), today);

export const readCompletions: QueryHandler<"habit.completions"> = async (query, input) => {
  const days = await daysOf<HabitCompletionRow>(query, "habit_completions", input);
  if (!days) return notFound("Habit");
  return {
    data: days.map(({ local_date: date, completed_at, note = null }) => ({
      date,
      completed_at: timestamp(completed_at),
      note,
    })),
  };
};

export const readAmounts: QueryHandler<"habit.amounts"> = async (query, input) => {
  const days = await daysOf<HabitAmountRow>(query, "habit_amounts", input);
  if (!days) return notFound("Habit");
  return { data: days.map(({ local_date: date, amount, target }) => ({ date, amount, target })) };
};

/**
 * A missing end defaults to the longest period from the other end; without both, the period ends today.
 * @returns undefined for an unknown habit
 */
async function daysOf<Day extends Readonly<{ local_date: string }>>(
  query: QueryContext,
  table: "habit_completions" | "habit_amounts",
  { habit_id, ...period }: InputOf<Queries["habit.completions"]>,
): Promise<Day[] | undefined> {
  const { own, rows } = query;
  const from = period.from ?? null;
  const to = period.to ?? (from === null ? (await readDaySettings(query)).today.date : null);
  const further = literal(mostCompletionDays - 1);
  const found = await rows(sql<Day | { local_date: null }>`
    select d.* from ${own("habits")} h
    left join ${own(table)} d on d.habit_id = h.id
      and d.local_date between coalesce(${from}::date, ${to}::date - ${further})
      and coalesce(${to}::date, ${from}::date + ${further})
    where h.id = ${habit_id}::bigint
    order by d.local_date desc`);
  return found.length === 0 ? undefined : found.filter((day): day is Day => day.local_date !== null);
}

/** Numbers of completions by day; days without any are left out. */
export type DoneDays = ReadonlyMap<string, number>;

type Period = Readonly<{ from: string; to: string }>;

/** Completions of deleted habits stay for an undo but do not count. */
export const isOfHabit = ({ own }: Pick<QueryContext, "own">): Condition =>
  sql`exists (select from ${own("habits")} h where h.id = c.habit_id)`;

export const readDoneDays = (query: QueryContext, period: Period): Promise<DoneDays> =>
  countDays(query, period, isOfHabit(query));

export const readDoneDaysOf = (query: QueryContext, period: Period, habitId: number): Promise<DoneDays> =>
  countDays(query, period, sql`c.habit_id = ${habitId}::bigint`);

/** Reads day by day along an index; for one range, PostgreSQL would sort all completions of a year. */
async function countDays({ own, rows }: QueryContext, { from, to }: Period, which: Condition) {
  const days = await rows(sql<{ day: string; done: number }>`
    select day::date as day, c.done from generate_series(${from}::date, ${to}::date, interval '1 day') day
    cross join lateral (
      select count(*) as done from ${own("habit_completions")} c where c.local_date = day::date and ${which}
    ) c
    where c.done > 0`);
  return new Map(days.map(({ day, done }) => [day, done]));
}
