import { notFound } from "../../../shared/errors.ts";
import { forUpdate } from "../../unit-of-work/row-request.ts";
import type { Handler } from "../handler.ts";

/** Habits and todos of the category stay: the foreign keys set theirs to null, but not those that a group writes. */
export const categoryDelete: Handler<"category.delete"> = {
  slow: true,
  rows: ({ category_id }) => [forUpdate("categories", category_id)],
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
