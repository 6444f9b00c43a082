import { beginWork } from "../begin-work.ts";
import type { HandlerContext } from "../handler.ts";

/**
 * Removes a category from its members: from loaded ones here, from other habits by a trigger, from other todos in
 * steps. Each keeps its id, by which an undo finds them.
 */
export function removeCategory(context: HandlerContext, category_id: number): void {
  const { categories, habits, todos } = context;
  const left = { category_id: null, former_category_id: category_id };
  for (const row of habits.all()) if (row.category_id === category_id) habits.update(row, left);
  for (const row of todos.all()) if (row.category_id === category_id) todos.update(row, left);
  categories.remove(category_id);
  beginWork(context, "category.delete", { category_id });
}
