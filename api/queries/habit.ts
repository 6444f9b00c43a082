import { sql } from "kysely";
import type { InputOf, Queries } from "../../shared/contracts/catalogue.ts";
import type { HabitRow } from "../../shared/db/entities.ts";
import { presentHabit } from "../../shared/db/present.ts";
import { dayNumber, isoWeekday } from "../../shared/domain/day.ts";
import type { Today } from "../../shared/domain/today.ts";
import { notFound } from "../../shared/errors.ts";
import {
  allOf,
  type Condition,
  type DaySettingsColumns,
  daySettingsColumns,
  daySettingsOf,
  type QueryContext,
  type QueryHandler,
  readDaySettings,
} from "./context.ts";
import { type Extent, pageOf, paginate, totalOf } from "./pagination.ts";

export const list: QueryHandler<"habit.list"> = async (query, { page = 1, ...filters }) => {
  const mine = allOf(habitsOf(query), ...(await filtering(query, filters)));
  const rows = await selectHabits(query, mine, { total: countOf(mine), limit: pageOf(page) });
  const total = await totalOf(rows, page, () => countHabits(query, mine));
  const habits = presentHabits(rows, daySettingsOf(rows, query).today);
  return paginate(habits, total, { url: `${query.baseUrl}/api/v1/habits`, filters, page });
};

async function filtering(query: QueryContext, filters: InputOf<Queries["habit.list"]>): Promise<Condition[]> {
  const { frequency, time_of_day, completed_today } = filters;
  const conditions: Condition[] = [];
  if (frequency !== undefined) conditions.push(sql`h.frequency = ${frequency}`);
  if (time_of_day !== undefined) conditions.push(sql`h.time_of_day = ${time_of_day}::time_of_day`);
  if (completed_today !== undefined) {
    const completed = completedOn((await readDaySettings(query)).today.date);
    conditions.push(completed_today ? completed : sql`not ${completed}`);
  }
  return conditions;
}

/** All of them on one page: nobody has hundreds of habits due on a day. */
export const today: QueryHandler<"habit.today"> = async (query, { time_of_day }) => {
  const { today } = await readDaySettings(query);
  const conditions = [habitsOf(query), dueOn(today.date)];
  if (time_of_day !== undefined) conditions.push(sql`h.time_of_day = ${time_of_day}::time_of_day`);
  const habits = presentHabits(await selectHabits(query, allOf(...conditions)), today);
  return { today: today.date, time_zone: today.timeZone, habits };
};

export const get: QueryHandler<"habit.get"> = async (query, { habit_id }) => {
  const rows = await selectHabits(query, allOf(habitsOf(query), sql`h.id = ${habit_id}::bigint`));
  return presentHabits(rows, daySettingsOf(rows, query).today)[0] ?? notFound("Habit");
};

export const habitsOf = ({ userId }: QueryContext): Condition => sql`h.user_id = ${userId}`;

export const completedOn = (date: string): Condition => sql`(${date}::date = any(h.recent_dates))`;

/** Due: completed that day, or from `next_due` on and, where weekdays are fixed, on one of them. */
export const dueOn = (date: string): Condition => sql`(
  ${completedOn(date)} or (
    (h.next_due is null or h.next_due <= ${date}::date)
    and (h.schedule -> 'weekdays' is null or h.schedule -> 'weekdays' @> ${String(isoWeekday(dayNumber(date)))}::jsonb)
  )
)`;

export type CategoryColumns = { category_name: string | null; category_color: string | null };
export type HabitWithCategory = HabitRow & CategoryColumns & DaySettingsColumns & { total: number };

const countOf = (condition: Condition) =>
  sql<{ total: number }>`select count(*) as total from habits h where ${condition}`;

/** Habits by id, with what is shown beside them. */
export const habitRows = (
  query: QueryContext,
  condition: Condition,
  { total = sql`0`, limit = sql`` }: Extent = {},
) => sql<HabitWithCategory>`
  select h.*, c.name as category_name, c.color as category_color,
    ${daySettingsColumns(query)}, (${total}) as total
  from habits h
  left join categories c on c.user_id = h.user_id and c.id = h.category_id
  where ${condition}
  order by h.id ${limit}`;

async function selectHabits(query: QueryContext, condition: Condition, extent?: Extent) {
  const { rows } = await habitRows(query, condition, extent).execute(query.db);
  return rows;
}

async function countHabits({ db }: QueryContext, condition: Condition): Promise<number> {
  const { rows } = await countOf(condition).execute(db);
  return rows[0]?.total ?? 0;
}

export const presentHabits = (rows: readonly HabitWithCategory[], today: Today) =>
  rows.map((row) => presentHabit(row, categoryOf(row), today));

/** The category that came along in the same row. */
export function categoryOf(row: CategoryColumns & { category_id?: number | null | undefined }) {
  const { category_id: id, category_name: name, category_color: color } = row;
  return id == null || name === null || color === null ? undefined : { id, name, color };
}
