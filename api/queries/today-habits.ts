import { sql } from "kysely";
import type { Rules } from "../../shared/domain/schedule.ts";
import { daysAskedFor, weekOf } from "../../shared/domain/week-progress.ts";
import { allOf, type QueryHandler, readDaySettings } from "./context.ts";
import { dueOn, type HabitWithCategory, habitRows, ofKind, presentHabits } from "./habit.ts";

/** Answers with one page, which shows all that anybody has who is not testing the limits. */
const mostShown = 100;

type WeekColumns = { is_due: boolean; done_this_week: number };

export const readTodayHabits: QueryHandler<"habit.today"> = async (query, { all = false, ...filters }) => {
  const { today } = await readDaySettings(query);
  const { monday, sunday } = weekOf(today.date);
  const where = allOf(ofKind(filters), ...(all ? [] : [dueOn(today.date)]));
  const total = sql`select count(*) from ${query.own("habits")} h where ${where}`;
  const rows = await query.rows(sql<HabitWithCategory & WeekColumns>`
    select h.*, ${dueOn(today.date)} as is_due, (
      select count(*) from ${query.own("habit_completions")} c
      where c.habit_id = h.id and c.local_date between ${monday}::date and ${sunday}::date
    ) as done_this_week
    from (${habitRows(query, where, { total, limit: mostShown })}) h order by h.id`);
  const habits = presentHabits(rows, today).map((habit, index) => ({
    ...habit,
    ...(all && { is_due_today: rows[index]?.is_due ?? false }),
    week_progress: progressOf(habit, rows[index]?.done_this_week ?? 0),
  }));
  return { today: today.date, time_zone: today.timeZone, habits, total: rows[0]?.total ?? 0 };
};

function progressOf(rules: Rules, done: number) {
  const target = daysAskedFor(rules);
  return target === undefined ? null : { done, target };
}
