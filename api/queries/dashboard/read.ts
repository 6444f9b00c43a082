import { type Expression, sql } from "kysely";
import type { OutputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import type { CategoryRefRow } from "../../../shared/db/present.ts";
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

export async function readDay(query: QueryContext, firstWeekday: number) {
  const { today } = await readDaySettings(query);
  // Statements run one after the other, because together they take one turn of the user.
  const due = await readHabitsOfDay(query, today);
  const todos = await readTodoGroups(query, today, { limit: mostTodos, firstWeekday });
  const counts = await readTodoCounts(query, today, firstWeekday);
  const [totals] = await query.rows(dayTotals({ today: today.date }));
  if (!totals) throw new Error("The statement of totals gave no row.");
  return { today, due, todos, counts, totals };
}

type Places = Readonly<{
  today: number;
  todos: number;
  habits: number;
  categories: readonly (CategoryRefRow & Readonly<{ count: number }>)[];
}>;

/** Open todos of the day, of each category and in all, and habits. Index entries have all that is counted. */
const places = statement({ today: "date" }, (value) => {
  const ofCategories = selectFrom(own("todos").as("t"))
    .select(["t.category_id", countOf.as("count")])
    .where(isPending)
    .groupBy("t.category_id");
  return sql<Places>`
    select ${pendingTodos} as todos, ${pendingTodos.where("t.due_date", "=", value("today"))} as today,
      ${selectFrom(own("habits").as("h")).select(countOf.as("count"))} as habits,
      (select coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'color', c.color,
          'count', coalesce(open.count, 0)) order by lower(c.name), c.id), '[]')
        from ${own("categories")} c left join (${ofCategories}) open on open.category_id = c.id) as categories`;
});

/** The numbers beside the navigation. */
export async function readPlaces(query: QueryContext): Promise<Places> {
  const { today } = await readDaySettings(query);
  const [found] = await query.rows(places({ today: today.date }));
  if (!found) throw new Error("The statement of the navigation gave no row.");
  return found;
}

const dayTotals = statement({ today: "date" }, (value) =>
  selectFrom(own("habits").as("h")).select([
    activityCounts(value("today")).as("strip"),
    countOf.as("habits"),
  ]),
);
