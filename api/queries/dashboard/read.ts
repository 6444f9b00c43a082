import type { OutputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import { sql } from "../../../shared/db/reads/sql.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import { type QueryContext, type QueryHandler, readDaySettings } from "../engine/context.ts";
import {
  completedOn,
  type DoneDays,
  dueOn,
  type HabitWithCategory,
  habitRows,
  inOrderOfIds,
  isOfHabit,
  presentHabits,
  readDoneDays,
} from "../habit/read.ts";
import { readHabitsOfDay } from "../habit/week.ts";
import type { DueGroup } from "../todo/groups.ts";
import { readTodoCounts, readTodoGroups, type TodoCounts } from "../todo/groups.ts";
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
const activityCounts = ({ own }: QueryContext, today: string) => sql`
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

/** Further ones are on the page of all todos. Nobody does more in a day than is shown of it. */
const mostTodos = (group: DueGroup): number => (group === "overdue" || group === "today" ? 100 : 15);

/** The data of the page of a day. */
export type DaySummary = Readonly<{
  today: Viewer;
  /** The first due habits, and the number of all. */
  due: Awaited<ReturnType<typeof readHabitsOfDay>>;
  todos: Awaited<ReturnType<typeof readTodoGroups>>;
  counts: TodoCounts;
  done: DoneDays;
  totals: DayTotals;
}>;

/** @param beginning the first day of the year that is shown */
export async function readDay(
  query: QueryContext,
  beginning: (today: string) => string,
  firstWeekday: number,
): Promise<DaySummary> {
  const { today } = await readDaySettings(query);
  const { date } = today;
  // Statements run one after the other, because together they take one turn of the user.
  const due = await readHabitsOfDay(query, today);
  const todos = await readTodoGroups(query, today, { limit: mostTodos, firstWeekday });
  const counts = await readTodoCounts(query, today, firstWeekday);
  const done = await readDoneDays(query, { from: beginning(date), to: date });
  return { today, due, todos, counts, done, totals: await readDayTotals(query, date) };
}

/** A user's numbers on a day. */
type DayTotals = Readonly<{
  /** Completions of habits and todos on each of the last 14 days. */
  strip: Readonly<Record<string, number>>;
  habits: number;
  /** Habits whose streak lives. */
  streaks: number;
}>;

async function readDayTotals(query: QueryContext, today: string): Promise<DayTotals> {
  const habits = query.own("habits");
  const [totals] = await query.rows(sql<DayTotals>`
    select (${activityCounts(query, today)}) as strip, count(*) as habits,
      count(*) filter (where h.streak > 0 and h.streak_alive_through >= ${today}::date) as streaks
    from ${habits} h`);
  if (!totals) throw new Error("The statement of totals gave no row.");
  return totals;
}
