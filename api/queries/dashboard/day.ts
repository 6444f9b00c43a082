import type { Today } from "../../../shared/domain/day/today.ts";
import { type QueryContext, readDaySettings } from "../engine/context.ts";
import { type DoneDays, readDoneDays } from "../habit/done-days.ts";
import { dueOn } from "../habit/read.ts";
import { readHabitsInWeek } from "../habit/week.ts";
import { readTodoCounts, readTodoGroups, type TodoCounts } from "../todo/groups.ts";
import { type DayTotals, readDayTotals } from "./day-totals.ts";

/** Further ones are on the pages of all habits and todos. */
const mostHabits = 100;
const mostTodosOfGroup = 15;

/** The data of the page of a day. */
export type DaySummary = Readonly<{
  today: Today;
  /** The first habits that are due, and the number of all of them. */
  due: Awaited<ReturnType<typeof readHabitsInWeek>>;
  todos: Awaited<ReturnType<typeof readTodoGroups>>;
  counts: TodoCounts;
  done: DoneDays;
  totals: DayTotals;
}>;

/** @param beginning the first day of the year that is shown */
export async function readDay(
  query: QueryContext,
  beginning: (today: string) => string,
): Promise<DaySummary> {
  const { today } = await readDaySettings(query);
  const { date } = today;
  // One statement after the other, because all of it is one turn of the user.
  const due = await readHabitsInWeek(query, today, { where: dueOn(date), limit: mostHabits });
  const todos = await readTodoGroups(query, today, mostTodosOfGroup);
  const counts = await readTodoCounts(query, date);
  const done = await readDoneDays(query, { from: beginning(date), to: date });
  return { today, due, todos, counts, done, totals: await readDayTotals(query, date) };
}
