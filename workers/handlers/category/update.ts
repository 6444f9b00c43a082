import { presentCategory } from "../../../shared/db/present.ts";
import { notFound } from "../../../shared/errors.ts";
import { forUpdate } from "../../unit-of-work/row-request.ts";
import type { Handler } from "../handler.ts";
import { patch } from "../patch.ts";
import { storedColor } from "./color.ts";

export const categoryUpdate: Handler<"category.update"> = {
  rows: ({ category_id }) => [forUpdate("categories", category_id)],
  run({ categories, now }, { category_id, ...fields }) {
    const row = categories.get(category_id);
    if (!row) return notFound("Category");
    const color = fields.color === undefined ? row.color : storedColor(fields.color);
    return presentCategory(categories.update(row, { ...patch(fields), color, updated_at: now }));
  },
};
