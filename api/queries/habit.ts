import { sql } from "kysely";
import type { InputOf, Queries } from "../../shared/contracts/catalogue.ts";
import type { HabitRow } from "../../shared/db/entities.ts";
import { presentHabit, type Today } from "../../shared/db/present.ts";
import { dayNumber, isoWeekday } from "../../shared/domain/day.ts";
import { notFound } from "../../shared/errors.ts";
import {
  both,
  type ClockColumns,
  type Condition,
  clockBeside,
  clockColumns,
  clockOf,
  type Read,
  type Reader,
} from "./context.ts";
import { type Extent, pageOf, paginate, totalOf } from "./pagination.ts";

export const list: Read<"habit.list"> = async (reader, { page = 1, ...filters }) => {
  const mine = both(habitsOf(reader), ...(await filtering(reader, filters)));
  const rows = await selectHabits(reader, mine, { total: countOf(mine), limit: pageOf(page) });
  const total = await totalOf(rows, page, () => countHabits(reader, mine));
  const habits = presentHabits(rows, clockBeside(rows, reader).today);
  return paginate(habits, total, { url: `${reader.baseUrl}/api/v1/habits`, filters, page });
};

async function filtering(reader: Reader, filters: InputOf<Queries["habit.list"]>): Promise<Condition[]> {
  const { frequency, time_of_day, completed_today } = filters;
  const conditions: Condition[] = [];
  if (frequency !== undefined) conditions.push(sql`h.frequency = ${frequency}`);
  if (time_of_day !== undefined) conditions.push(sql`h.time_of_day = ${time_of_day}::time_of_day`);
  if (completed_today !== undefined) {
    const completed = completedOn((await clockOf(reader)).today.date);
    conditions.push(completed_today ? completed : sql`not ${completed}`);
  }
  return conditions;
}

/** All of them on one page: nobody has hundreds of habits due on a day. */
export const today: Read<"habit.today"> = async (reader, { time_of_day }) => {
  const { today } = await clockOf(reader);
  const conditions = [habitsOf(reader), dueOn(today.date)];
  if (time_of_day !== undefined) conditions.push(sql`h.time_of_day = ${time_of_day}::time_of_day`);
  const habits = presentHabits(await selectHabits(reader, both(...conditions)), today);
  return { today: today.date, time_zone: today.timeZone, habits };
};

export const get: Read<"habit.get"> = async (reader, { habit_id }) => {
  const rows = await selectHabits(reader, both(habitsOf(reader), sql`h.id = ${habit_id}::bigint`));
  return presentHabits(rows, clockBeside(rows, reader).today)[0] ?? notFound("Habit");
};

export const habitsOf = ({ userId }: Reader): Condition => sql`h.user_id = ${userId}`;

export const completedOn = (date: string): Condition => sql`(${date}::date = any(h.recent_dates))`;

/** Due: completed that day, or from `next_due` on and, where weekdays are fixed, on one of them. */
export const dueOn = (date: string): Condition => sql`(
  ${completedOn(date)} or (
    (h.next_due is null or h.next_due <= ${date}::date)
    and (h.schedule -> 'weekdays' is null or h.schedule -> 'weekdays' @> ${String(isoWeekday(dayNumber(date)))}::jsonb)
  )
)`;

export type CategoryColumns = { category_name: string | null; category_color: string | null };
export type HabitBesideCategory = HabitRow & CategoryColumns & ClockColumns & { total: number };

const countOf = (condition: Condition) =>
  sql<{ total: number }>`select count(*) as total from habits h where ${condition}`;

/** Habits by id, with what is shown beside them. */
export const habitRows = (
  reader: Reader,
  condition: Condition,
  { total = sql`0`, limit = sql`` }: Extent = {},
) => sql<HabitBesideCategory>`
  select h.*, c.name as category_name, c.color as category_color,
    ${clockColumns(reader)}, (${total}) as total
  from habits h
  left join categories c on c.user_id = h.user_id and c.id = h.category_id
  where ${condition}
  order by h.id ${limit}`;

async function selectHabits(reader: Reader, condition: Condition, extent?: Extent) {
  const { rows } = await habitRows(reader, condition, extent).execute(reader.db);
  return rows;
}

async function countHabits({ db }: Reader, condition: Condition): Promise<number> {
  const { rows } = await countOf(condition).execute(db);
  return rows[0]?.total ?? 0;
}

export const presentHabits = (rows: readonly HabitBesideCategory[], today: Today) =>
  rows.map((row) => presentHabit(row, categoryOf(row), today));

/** The category that came along in the same row. */
export function categoryOf(row: CategoryColumns & { category_id?: number | null | undefined }) {
  const { category_id: id, category_name: name, category_color: color } = row;
  return id == null || name === null || color === null ? undefined : { id, name, color };
}
