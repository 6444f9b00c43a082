import { sql } from "kysely";
import { addDays } from "../../shared/domain/day.ts";
import { completedOn, dueOn, habitsOf, presentHabits, selectHabits } from "./habits.ts";
import { both, clockOf, type Read, type Reader } from "./reader.ts";
import { isPending, presentTodos, selectTodos, todosOf } from "./todos.ts";

const maxTodos = 100;
const stripDays = 14;

export const get: Read<"dashboard.get"> = async (reader) => {
  const { today } = await clockOf(reader);
  const [habits, todos, strip, stats] = await Promise.all([
    selectHabits(reader, both(habitsOf(reader), dueOn(today.date))),
    selectTodos(reader, both(todosOf(reader), isPending), { limit: sql`limit ${maxTodos}` }),
    activityStrip(reader, today.date),
    statsOn(reader, today.date),
  ]);
  return {
    habits: presentHabits(habits, today),
    todos: presentTodos(todos, today),
    activity_strip: strip,
    stats,
  };
};

/** Completions of habits and todos on each of the last 14 days of the user, zeros included. */
async function activityStrip({ db, userId }: Reader, today: string): Promise<Record<string, number>> {
  const from = addDays(today, 1 - stripDays);
  const { rows } = await sql<{ date: string; count: number }>`
    select day::date as date, (
      select count(*) from habit_completions c where c.user_id = ${userId} and c.local_date = day::date
    ) + (
      select count(*) from todos t where t.user_id = ${userId} and t.is_completed and t.completed_on = day::date
    ) as count
    from generate_series(${from}::date, ${today}::date, interval '1 day') as day`.execute(db);
  return Object.fromEntries(rows.map(({ date, count }) => [date, count]));
}

async function statsOn({ db, userId }: Reader, today: string) {
  const { rows } = await sql<Stats>`
    select
      count(*) as total_habits,
      count(*) filter (where ${completedOn(today)}) as completed_today,
      coalesce(sum(h.streak) filter (where h.streak_alive_through >= ${today}::date), 0)::bigint as total_streak,
      (select count(*) from todos t where t.user_id = ${userId} and ${isPending}) as pending_todos
    from habits h where h.user_id = ${userId}`.execute(db);
  return rows[0] ?? { total_habits: 0, completed_today: 0, total_streak: 0, pending_todos: 0 };
}

type Stats = { total_habits: number; completed_today: number; total_streak: number; pending_todos: number };
