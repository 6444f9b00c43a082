import type { Today } from "../../../shared/domain/day/today.ts";
import { allOf, type QueryContext } from "../engine/context.ts";
import { hasText } from "../engine/search.ts";
import { sql } from "../engine/sql.ts";
import { dueOn, ofKind } from "./read.ts";
import { readHabitsInWeek } from "./week.ts";

export const habitsPerPage = 100;

export type HabitFilters = Readonly<{ q?: string; category_id?: number }>;

/** One page of all habits: those due today first, each part by time of day. */
export function readHabitPage(
  query: QueryContext,
  today: Today,
  { q, page, ...kind }: HabitFilters & Readonly<{ page: number }>,
): ReturnType<typeof readHabitsInWeek> {
  const search = q === undefined ? [] : [hasText([sql`h.name`, sql`h.description`], q)];
  const where = allOf(ofKind(kind), ...search);
  const order = sql`order by ${dueOn(today.date)} desc, h.time_of_day, h.id`;
  const part = { limit: habitsPerPage, offset: (page - 1) * habitsPerPage };
  return readHabitsInWeek(query, today, { where, order, ...part });
}
