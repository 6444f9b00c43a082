import { categoryFields } from "../../../shared/contracts/category/fields.ts";
import { presentCategory } from "../../../shared/db/present.ts";
import { newColumns } from "../columns.ts";
import type { Handler } from "../handler.ts";

export const categoryCreate: Handler<"category.create"> = {
  stores: "more",
  makes: "categories",
  run(context, input) {
    const refused = context.useQuota("categories");
    if (refused) return refused;
    const { categories, nextId, now } = context;
    const row = categories.insert({
      id: nextId("categories"),
      ...newColumns(categoryFields, input),
      created_at: now,
      updated_at: now,
    });
    return presentCategory(row);
  },
};
