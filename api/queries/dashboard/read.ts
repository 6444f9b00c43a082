import type { OutputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import { sql } from "../../../shared/db/reads/sql.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import { type QueryContext, type QueryHandler, readDaySettings } from "../engine/context.ts";
import { isOfHabit } from "../habit/done-days.ts";
import {
  completedOn,
  dueOn,
  type HabitWithCategory,
  habitRows,
  inOrderOfIds,
  presentHabits,
} from "../habit/read.ts";
import { allPending, inOrder, isPending, todosInOrder } from "../todo/order.ts";
import { presentTodos, type TodoWithRelations, todoRows } from "../todo/read.ts";

const maxTodos = 100;
const stripDays = 14;

type Stats = OutputOf<Queries["dashboard.get"]>["stats"];
type Dashboard = {
  habits: HabitWithCategory[];
  todos: TodoWithRelations[];
  strip: Record<string, number>;
  stats: Stats;
};

/**
 * One statement, so that lists, strip and totals show the same moment. Lists come as JSON: the driver reads an array of
 * PostgreSQL's character by character, which took half of the front door's time.
 */
export const readDashboard: QueryHandler<"dashboard.get"> = async (query) => {
  const { today } = await readDaySettings(query);
  const habits = habitRows(query, dueOn(today.date));
  const pending = todosInOrder(allPending, { limit: maxTodos });
  const todos = todoRows({ ...pending, total: sql`0` });
  const [parts] = await query.rows(sql<Dashboard>`
    select
      (select coalesce(json_agg(h ${inOrderOfIds}), '[]') from (${habits}) h) as habits,
      (select coalesce(json_agg(t ${inOrder}), '[]') from (${todos}) t) as todos,
      (${activityCounts(query, today.date)}) as strip,
      (${statsOn(query, today.date)}) as stats`);
  if (!parts) throw new Error("The dashboard's statement gave no row.");
  return {
    habits: presentHabits(parts.habits, today),
    todos: presentTodos(parts.todos, today),
    activity_strip: parts.strip,
    stats: parts.stats,
  };
};

/** Completions of habits and todos on each of the last 14 days of the user, zeros included. */
export const activityCounts = ({ own }: QueryContext, today: string) => sql`
  select json_object_agg(day::date, (
    select count(*) from ${own("habit_completions")} c where c.local_date = day::date
      and ${isOfHabit({ own })}
  ) + (
    select count(*) from ${own("todos")} t where t.completed_on = day::date
  ) order by day)
  from generate_series(${addDays(today, 1 - stripDays)}::date, ${today}::date, interval '1 day') as day`;

const statsOn = ({ own }: QueryContext, today: string) => sql`
  select json_build_object(
    'total_habits', count(*),
    'completed_today', count(*) filter (where ${completedOn(today)}),
    'total_streak', coalesce(sum(h.streak) filter (where h.streak_alive_through >= ${today}::date), 0),
    'pending_todos', (select count(*) from ${own("todos")} t where ${isPending})
  )
  from ${own("habits")} h`;
