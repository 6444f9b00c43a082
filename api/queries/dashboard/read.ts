import { type Expression, sql } from "kysely";
import type { OutputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import { own, selectFrom, statement } from "../../../shared/db/reads/statement.ts";
import { type QueryContext, type QueryHandler, readDaySettings } from "../engine/context.ts";
import { countOf } from "../engine/pagination.ts";
import {
  byId,
  completedOn,
  type HabitWithCategory,
  habitRows,
  habitsWhere,
  isOfHabit,
  presentHabits,
  readDoneDays,
} from "../habit/read.ts";
import { readHabitsOfDay } from "../habit/week.ts";
import { type DueGroup, readTodoCounts, readTodoGroups } from "../todo/groups.ts";
import { byDueDate, firstTodos, isPending } from "../todo/order.ts";
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

/** Completions of habits and todos on each of the last 14 days of the user, zeros included. */
const activityCounts = (today: Expression<string>) => sql<Record<string, number>>`
  (select json_object_agg(day::date, ${selectFrom(own("habit_completions").as("c"))
    .select(countOf.as("count"))
    .where("c.local_date", "=", sql<string>`day::date`)
    .where(isOfHabit)} + ${selectFrom(own("todos").as("t"))
    .select(countOf.as("count"))
    .where("t.completed_on", "=", sql<string>`day::date`)} order by day)
  from generate_series(${today} - ${sql.lit(stripDays - 1)}, ${today}, interval '1 day') as day)`;

const pendingTodos = selectFrom(own("todos").as("t")).select(countOf.as("count")).where(isPending);

const statsOn = (today: Expression<string>) =>
  selectFrom(own("habits").as("h")).select(({ ref }) =>
    sql<Stats>`json_build_object(
      'total_habits', count(*),
      'completed_today', count(*) filter (where ${completedOn(today)}),
      'total_streak', coalesce(sum(${ref("h.streak")}) filter (where ${ref("h.streak_alive_through")} >= ${today}), 0),
      'pending_todos', ${pendingTodos}
    )`.as("stats"),
  );

/**
 * One statement, so that lists, strip and totals show the same moment. Lists come as JSON: the driver reads an array of
 * PostgreSQL's character by character, which took half of the front door's time.
 */
const dashboard = statement({ today: "date" }, (value) => {
  const habits = habitRows(habitsWhere(["due"]));
  const todos = todoRows(firstTodos(isPending, maxTodos));
  return sql<Dashboard>`
    select
      (select coalesce(json_agg(h order by ${byId}), '[]') from ${habits} h) as habits,
      (select coalesce(json_agg(t order by ${byDueDate}), '[]') from ${todos} t) as todos,
      ${activityCounts(value("today"))} as strip,
      ${statsOn(value("today"))} as stats`;
});

export const readDashboard: QueryHandler<"dashboard.get"> = async (query) => {
  const { today } = await readDaySettings(query);
  const [parts] = await query.rows(dashboard({ today: today.date }));
  if (!parts) throw new Error("The dashboard's statement gave no row.");
  return {
    habits: presentHabits(parts.habits, today),
    todos: presentTodos(parts.todos, today),
    activity_strip: parts.strip,
    stats: parts.stats,
  };
};

/** Further ones are on the page of all todos. Nobody does more in a day than is shown of it. */
const mostTodos = (group: DueGroup): number => (group === "overdue" || group === "today" ? 100 : 15);

export type DaySummary = Awaited<ReturnType<typeof readDay>>;

/** @param beginning the first day of the year that is shown */
export async function readDay(
  query: QueryContext,
  beginning: (today: string) => string,
  firstWeekday: number,
) {
  const { today } = await readDaySettings(query);
  const { date } = today;
  // Statements run one after the other, because together they take one turn of the user.
  const due = await readHabitsOfDay(query, today);
  const todos = await readTodoGroups(query, today, { limit: mostTodos, firstWeekday });
  const counts = await readTodoCounts(query, today, firstWeekday);
  const done = await readDoneDays(query, { from: beginning(date), to: date });
  const [totals] = await query.rows(dayTotals({ today: date }));
  if (!totals) throw new Error("The statement of totals gave no row.");
  return { today, due, todos, counts, done, totals };
}

const dayTotals = statement({ today: "date" }, (value) =>
  selectFrom(own("habits").as("h")).select(({ ref }) => [
    activityCounts(value("today")).as("strip"),
    countOf.as("habits"),
    sql<number>`count(*) filter (where ${ref("h.streak")} > 0
      and ${ref("h.streak_alive_through")} >= ${value("today")})`.as("streaks"),
  ]),
);
