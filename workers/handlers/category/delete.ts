import { notFound } from "../../../shared/errors.ts";
import { forUpdate } from "../../unit-of-work/row-request.ts";
import type { Handler } from "../handler.ts";

/** Habits and todos of the category stay: the foreign keys set theirs to null. */
export const categoryDelete: Handler<"category.delete"> = {
  slow: true,
  rows: ({ category_id }) => [forUpdate("categories", category_id)],
  run({ categories }, { category_id }) {
    if (!categories.get(category_id)) return notFound("Category");
    categories.remove(category_id);
    return null;
  },
};
