import { notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { currentCategory, lockCategory } from "./rows.ts";

/** Habits and todos of the category stay: the foreign keys set theirs to null. */
export const categoryDelete: Handler<"category.delete"> = {
  slow: true,
  rows: lockCategory,
  current: currentCategory,
  run({ categories }, { category_id }) {
    if (!categories.get(category_id)) return notFound("Category");
    categories.remove(category_id);
    return null;
  },
};
