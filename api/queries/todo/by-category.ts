import { readCategoryRefs } from "../category/read.ts";
import { anyOf, type QueryContext, readDaySettings } from "../engine/context.ts";
import { own } from "../engine/guard.ts";
import { sql } from "../engine/sql.ts";
import { conditionsOf, type Selection } from "./order.ts";

/** All categories of the user with the number of selected todos in each, then the number of those in none. */
export async function countByCategory(query: QueryContext, selection: Selection) {
  const [categories, counts, { today }] = await Promise.all([
    readCategoryRefs(query),
    query.rows(todosPerCategory(selection)),
    readDaySettings(query),
  ]);
  const countOf = new Map(counts.map(({ category_id, count }) => [category_id, count]));
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const named = categories.map(({ id, name }) => ({ category: name, count: countOf.get(id) ?? 0 }));
  // Todos may still name a category that was just deleted.
  const none = named.reduce((rest, { count }) => rest - count, total);
  return {
    ...{ today: today.date, time_zone: today.timeZone, todos: [], total, next_cursor: null },
    by_category: [...named, { category: null, count: none }],
  };
}

/** The index of a list in order has the categories, too. */
const todosPerCategory = (selection: Selection) =>
  sql<{ category_id: number | null; count: number }>`
  select t.category_id, count(*) as count from ${own("todos")} t
  where ${anyOf(conditionsOf(selection))} group by t.category_id`;
