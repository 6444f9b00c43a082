import { sql } from "../../../shared/db/reads/sql.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import { type QueryContext, readDaySettings } from "../engine/context.ts";
import { type DoneDays, readDoneDays } from "../habit/done-days.ts";
import { readHabitsOfDay } from "../habit/overview.ts";
import type { DueGroup } from "../todo/due-groups.ts";
import { readTodoCounts, readTodoGroups, type TodoCounts } from "../todo/groups.ts";
import { activityCounts } from "./read.ts";

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
