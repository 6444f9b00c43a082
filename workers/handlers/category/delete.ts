import { notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { leaveCategory } from "./leave.ts";
import { removeCategory } from "./remove.ts";
import { currentCategory, lockCategory } from "./rows.ts";

/** Habits and todos of the category stay. Those that a group has loaded lose it here, because the group writes them. */
export const categoryDelete: Handler<"category.delete"> = {
  steps: leaveCategory,
  rows: lockCategory,
  current: currentCategory,
  run(context, { category_id }) {
    const { categories, habits, todos } = context;
    if (!categories.get(category_id)) return notFound("Category");
    for (const row of habits.all())
      if (row.category_id === category_id) habits.update(row, { category_id: null });
    for (const row of todos.all())
      if (row.category_id === category_id) todos.update(row, { category_id: null });
    removeCategory(context, category_id);
    return null;
  },
};
