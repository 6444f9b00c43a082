import { notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { leaveCategory } from "./leave.ts";
import { removeCategory } from "./remove.ts";
import { currentCategory, lockCategory } from "./rows.ts";

/** Habits and todos of the category stay. */
export const categoryDelete: Handler<"category.delete"> = {
  steps: leaveCategory,
  rows: lockCategory,
  current: currentCategory,
  run(context, { category_id }) {
    if (!context.categories.get(category_id)) return notFound("Category");
    removeCategory(context, category_id);
    return null;
  },
};
