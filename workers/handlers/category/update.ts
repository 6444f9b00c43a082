import { categoryFields } from "../../../shared/contracts/category/fields.ts";
import { presentCategory } from "../../../shared/db/present.ts";
import { notFound } from "../../../shared/errors.ts";
import { givenColumns } from "../columns.ts";
import type { Handler } from "../handler.ts";
import { currentCategory, lockCategory } from "./rows.ts";

export const categoryUpdate: Handler<"category.update"> = {
  stores: "more",
  rows: lockCategory,
  current: currentCategory,
  run({ categories, now }, { category_id, ...input }) {
    const row = categories.get(category_id);
    if (!row) return notFound("Category");
    const changed = givenColumns(categoryFields, input);
    return presentCategory(categories.update(row, { ...changed, updated_at: now }));
  },
};
