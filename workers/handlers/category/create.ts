import { presentCategory } from "../../../shared/db/present.ts";
import { checkQuota } from "../check-quota.ts";
import type { Handler } from "../handler.ts";
import { storedColor } from "./color.ts";

export const categoryCreate: Handler<"category.create"> = {
  stores: "more",
  makes: "categories",
  run(context, { name, color, icon }) {
    const refused = checkQuota(context, "categories");
    if (refused) return refused;
    const { categories, nextId, now } = context;
    const row = categories.insert({
      id: nextId("categories"),
      name,
      color: storedColor(color),
      icon: icon ?? null,
      created_at: now,
      updated_at: now,
    });
    return presentCategory(row);
  },
};
