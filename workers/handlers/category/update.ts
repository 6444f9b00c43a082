import { presentCategory } from "../../../shared/db/present.ts";
import { notFound } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { patch } from "../patch.ts";
import { storedColor } from "./color.ts";
import { currentCategory, lockCategory } from "./rows.ts";

export const categoryUpdate: Handler<"category.update"> = {
  stores: "more",
  rows: lockCategory,
  current: currentCategory,
  run({ categories, now }, { category_id, ...fields }) {
    const row = categories.get(category_id);
    if (!row) return notFound("Category");
    const color = fields.color === undefined ? row.color : storedColor(fields.color);
    return presentCategory(categories.update(row, { ...patch(fields), color, updated_at: now }));
  },
};
