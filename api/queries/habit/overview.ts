import { sql } from "../../../shared/db/reads/sql.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import { daysShown } from "../../../shared/domain/habit/history.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import { allOf, type Condition, type QueryContext } from "../engine/context.ts";
import { hasText } from "../engine/search.ts";
import { completedOn, dueOn, ofKind } from "./read.ts";
import { readHabitsInWeek } from "./week.ts";

export const habitsPerPage = 100;

export const habitSorts = ["name", "streak"] as const;

export type HabitFilters = Readonly<{
  q?: string;
  category_id?: number;
  /** Without it, those due today come first, and archived ones last. */
  sort?: (typeof habitSorts)[number] | undefined;
}>;

function orderOf(sort: HabitFilters["sort"], today: string): Condition {
  if (sort === "name") return sql`order by lower(h.name), h.id`;
  if (sort === "streak")
    return sql`order by h.streak_alive_through >= ${today}::date desc nulls last, h.streak desc, h.id`;
  return sql`order by ${dueOn(today)} desc, ${isArchived(today)}, h.time_of_day, h.id`;
}

/** A pause without an end is the archive. */
const isArchived = (today: string): Condition =>
  sql`(h.paused_from is not null and h.paused_from <= ${today}::date and h.paused_through is null)`;

/** The days before today that a row of a habit shows. */
const shownDays = (today: string) => ({ from: addDays(today, -daysShown), to: today });

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

export function readHabitPage(
  query: QueryContext,
  today: Viewer,
  { q, page, sort, ...kind }: HabitFilters & Readonly<{ page: number }>,
): ReturnType<typeof readHabitsInWeek> {
  const search = q === undefined ? [] : [hasText([sql`h.name`, sql`h.description`], q)];
  const where = allOf(ofKind(kind), ...search);
  const order = orderOf(sort, today.date);
  const part = { limit: habitsPerPage, offset: (page - 1) * habitsPerPage };
  return readHabitsInWeek(query, today, { where, order, ...part, period: shownDays(today.date) });
}
