import { sql } from "kysely";
import { presentHabit, type Today } from "../../shared/db/present.ts";
import { dayNumber, isoWeekday } from "../../shared/domain/day.ts";
import { notFound } from "../../shared/errors.ts";
import { offsetOf, pageSize, paginate, totalOf } from "./pagination.ts";
import { clockOf, type Read, type Reader } from "./reader.ts";

export const list: Read<"habit.list"> = async (reader, { page = 1, ...filters }) => {
  const { today } = await clockOf(reader);
  const { frequency, time_of_day, completed_today } = filters;
  let own = habitsOf(reader);
  if (frequency !== undefined) own = own.where("h.frequency", "=", frequency);
  if (time_of_day !== undefined) own = own.where("h.time_of_day", "=", time_of_day);
  if (completed_today !== undefined) own = own.where(completedOn(today.date), "=", completed_today);
  const count = own.select(({ fn }) => fn.countAll<number>().as("total"));
  const rows = await withCategory(own)
    .select(count.as("total"))
    .limit(pageSize)
    .offset(offsetOf(page))
    .execute();
  const total = await totalOf(rows, page, count);
  return paginate(presentHabits(rows, today), total, {
    url: `${reader.baseUrl}/api/v1/habits`,
    filters,
    page,
  });
};

/** All of them on one page: nobody has hundreds of habits due on a day. */
export const today: Read<"habit.today"> = async (reader, { time_of_day }) => {
  const { today } = await clockOf(reader);
  let due = habitsOf(reader).where(dueOn(today.date));
  if (time_of_day !== undefined) due = due.where("h.time_of_day", "=", time_of_day);
  const habits = presentHabits(await withCategory(due).execute(), today);
  return { today: today.date, time_zone: today.timeZone, habits };
};

export const get: Read<"habit.get"> = async (reader, { habit_id }) => {
  const { today } = await clockOf(reader);
  const rows = await withCategory(habitsOf(reader).where("h.id", "=", habit_id)).execute();
  return presentHabits(rows, today)[0] ?? notFound("Habit");
};

export function habitsOf({ db, userId }: Reader) {
  return db.selectFrom("habits as h").where("h.user_id", "=", userId);
}

export const completedOn = (date: string) => sql<boolean>`${date}::date = any(h.recent_dates)`;

/** Due: completed that day, or from `next_due` on and, where weekdays are fixed, on one of them. */
export const dueOn = (date: string) => sql<boolean>`(
  ${completedOn(date)} or (
    (h.next_due is null or h.next_due <= ${date}::date)
    and (h.schedule -> 'weekdays' is null or h.schedule -> 'weekdays' @> ${String(isoWeekday(dayNumber(date)))}::jsonb)
  )
)`;

type HabitsQuery = ReturnType<typeof habitsOf>;

export function withCategory(query: HabitsQuery) {
  return query
    .leftJoin("categories as c", (join) =>
      join.onRef("c.user_id", "=", "h.user_id").onRef("c.id", "=", "h.category_id"),
    )
    .selectAll("h")
    .select(["c.name as category_name", "c.color as category_color"])
    .orderBy("h.id");
}

type HabitWithCategory = Awaited<ReturnType<ReturnType<typeof withCategory>["execute"]>>[number];

export const presentHabits = (rows: readonly HabitWithCategory[], today: Today) =>
  rows.map((row) => presentHabit(row, categoryOf(row), today));

/** The category that came along in the same row. */
export function categoryOf(row: {
  category_id?: number | null;
  category_name: string | null;
  category_color: string | null;
}) {
  const { category_id: id, category_name: name, category_color: color } = row;
  return id == null || name === null || color === null ? undefined : { id, name, color };
}
