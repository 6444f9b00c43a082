import { sql } from "kysely";
import { progressOfWeek, weekOf } from "../../shared/domain/week-progress.ts";
import { allOf, type QueryHandler, readDaySettings } from "./context.ts";
import { dueOn, type HabitWithCategory, habitRows, ofKind, presentHabits } from "./habit.ts";

/** Answers with one page, which shows all that anybody has who is not testing the limits. */
const mostShown = 100;

type WeekColumns = { is_due: boolean; week_dates: string[] };

export const readTodayHabits: QueryHandler<"habit.today"> = async (query, { all = false, ...filters }) => {
  const { today } = await readDaySettings(query);
  const { monday, sunday } = weekOf(today.date);
  const where = allOf(ofKind(filters), ...(all ? [] : [dueOn(today.date)]));
  const total = sql`select count(*) from ${query.own("habits")} h where ${where}`;
  const rows = await query.rows(sql<HabitWithCategory & WeekColumns>`
    select h.*, ${dueOn(today.date)} as is_due, array(
      select c.local_date from ${query.own("habit_completions")} c
      where c.habit_id = h.id and c.local_date between ${monday}::date and ${sunday}::date
    ) as week_dates
    from (${habitRows(query, where, { total, limit: mostShown })}) h order by h.id`);
  const habits = presentHabits(rows, today).map((habit, index) => ({
    ...habit,
    ...(all && { is_due_today: rows[index]?.is_due ?? false }),
    week_progress: progressOfWeek(habit, rows[index]?.week_dates ?? [], today.date) ?? null,
  }));
  return { today: today.date, time_zone: today.timeZone, habits, total: rows[0]?.total ?? 0 };
};
