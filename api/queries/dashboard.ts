import { sql } from "kysely";
import type { OutputOf, Queries } from "../../shared/contracts/catalogue.ts";
import { addDays } from "../../shared/domain/day.ts";
import { allOf, type QueryContext, type QueryHandler, readDaySettings } from "./context.ts";
import { completedOn, dueOn, type HabitWithCategory, habitRows, habitsOf, presentHabits } from "./habit.ts";
import { isPending, presentTodos, type TodoBesideRelations, todoRows, todosOf } from "./todo.ts";

const maxTodos = 100;
const stripDays = 14;

type Stats = OutputOf<Queries["dashboard.get"]>["stats"];
type Parts = {
  habits: HabitWithCategory[];
  todos: TodoBesideRelations[];
  strip: Record<string, number>;
  stats: Stats;
};

/** One statement, so that lists, strip and totals are of one moment. */
export const get: QueryHandler<"dashboard.get"> = async (query) => {
  const { today } = await readDaySettings(query);
  const habits = habitRows(query, allOf(habitsOf(query), dueOn(today.date)));
  const todos = todoRows(query, allOf(todosOf(query), isPending), { limit: sql`limit ${maxTodos}` });
  const { rows } = await sql<Parts>`
    select
      array(select to_json(habit) from (${habits}) habit) as habits,
      array(select to_json(todo) from (${todos}) todo) as todos,
      (${activityStrip(query, today.date)}) as strip,
      (${statsOn(query, today.date)}) as stats`.execute(query.db);
  const parts = rows[0];
  if (!parts) throw new Error("The dashboard's statement gave no row.");
  return {
    habits: presentHabits(parts.habits, today),
    todos: presentTodos(parts.todos, today),
    activity_strip: parts.strip,
    stats: parts.stats,
  };
};

/** Completions of habits and todos on each of the last 14 days of the user, zeros included. */
const activityStrip = ({ userId }: QueryContext, today: string) => sql`
  select json_object_agg(day::date, (
    select count(*) from habit_completions c where c.user_id = ${userId} and c.local_date = day::date
  ) + (
    select count(*) from todos t where t.user_id = ${userId} and t.is_completed and t.completed_on = day::date
  ) order by day)
  from generate_series(${addDays(today, 1 - stripDays)}::date, ${today}::date, interval '1 day') as day`;

const statsOn = ({ userId }: QueryContext, today: string) => sql`
  select json_build_object(
    'total_habits', count(*),
    'completed_today', count(*) filter (where ${completedOn(today)}),
    'total_streak', coalesce(sum(h.streak) filter (where h.streak_alive_through >= ${today}::date), 0),
    'pending_todos', (select count(*) from todos t where t.user_id = ${userId} and ${isPending})
  )
  from habits h where h.user_id = ${userId}`;
