import type { Viewer } from "../../../shared/domain/reach.ts";
import { type QueryContext, readDaySettings } from "../engine/context.ts";
import { type DoneDays, readDoneDays } from "../habit/done-days.ts";
import { readHabitsOfDay } from "../habit/overview.ts";
import type { DueGroup } from "../todo/due-groups.ts";
import { readTodoCounts, readTodoGroups, type TodoCounts } from "../todo/groups.ts";
import { type DayTotals, readDayTotals } from "./day-totals.ts";

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
