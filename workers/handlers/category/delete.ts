import { notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { currentCategory, lockCategory } from "./rows.ts";

/** Habits and todos of the category stay: the foreign keys set theirs to null, but not those that a group writes. */
export const categoryDelete: Handler<"category.delete"> = {
  slow: true,
  rows: lockCategory,
  current: currentCategory,
  run({ categories, habits, todos }, { category_id }) {
    if (!categories.get(category_id)) return notFound("Category");
    for (const row of habits.all())
      if (row.category_id === category_id) habits.update(row, { category_id: null });
    for (const row of todos.all())
      if (row.category_id === category_id) todos.update(row, { category_id: null });
    categories.remove(category_id);
    return null;
  },
};
