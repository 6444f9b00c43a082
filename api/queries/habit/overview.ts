import { addDays } from "../../../shared/domain/day/day.ts";
import { daysBack } from "../../../shared/domain/habit/streak.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import { allOf, type QueryContext } from "../engine/context.ts";
import { hasText } from "../engine/search.ts";
import { sql } from "../engine/sql.ts";
import { completedOn, dueOn, ofKind } from "./read.ts";
import { readHabitsInWeek } from "./week.ts";

export const habitsPerPage = 100;

export type HabitFilters = Readonly<{ q?: string; category_id?: number }>;

/** The days before today that a row of a habit shows: those that can still be changed. */
const shownDays = (today: string) => ({ from: addDays(today, -daysBack), to: today });

/** The habits due on a day: those whose streak ends with it first, the done ones last. */
export function readHabitsOfDay(query: QueryContext, today: Viewer): ReturnType<typeof readHabitsInWeek> {
  const { date } = today;
  const order = sql`order by ${completedOn(date)}, (h.streak_alive_through is distinct from ${date}::date),
    h.time_of_day, h.id`;
  return readHabitsInWeek(query, today, {
    ...{ where: dueOn(date), order, limit: habitsPerPage },
    period: shownDays(date),
  });
}

/** One page of all habits: those due today first, each part by time of day. */
export function readHabitPage(
  query: QueryContext,
  today: Viewer,
  { q, page, ...kind }: HabitFilters & Readonly<{ page: number }>,
): ReturnType<typeof readHabitsInWeek> {
  const search = q === undefined ? [] : [hasText([sql`h.name`, sql`h.description`], q)];
  const where = allOf(ofKind(kind), ...search);
  const order = sql`order by ${dueOn(today.date)} desc, h.time_of_day, h.id`;
  const part = { limit: habitsPerPage, offset: (page - 1) * habitsPerPage };
  return readHabitsInWeek(query, today, { where, order, ...part, period: shownDays(today.date) });
}
