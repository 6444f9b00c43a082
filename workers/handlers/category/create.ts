import { presentCategory } from "../../../shared/db/present.ts";
import { notFound } from "../../../shared/errors.ts";
import { lock } from "../../unit-of-work/load.ts";
import { noRoom } from "../check-quota.ts";
import type { Handler } from "../handler.ts";
import { patch } from "../patch.ts";

const defaultColor = "#6b7280";

export const create: Handler<"category.create"> = {
  makes: "categories",
  run(context, { name, color, icon }) {
    const full = noRoom(context, "categories");
    if (full) return full;
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

export const update: Handler<"category.update"> = {
  needs: ({ category_id }) => [lock("categories", category_id)],
  run({ categories, now }, { category_id, ...fields }) {
    const row = categories.get(category_id);
    if (!row) return notFound("Category");
    const color = fields.color === undefined ? row.color : storedColor(fields.color);
    return presentCategory(categories.update(row, { ...patch(fields), color, updated_at: now }));
  },
};

/** Habits and todos of the category stay: the foreign keys set theirs to null. */
export const remove: Handler<"category.delete"> = {
  alone: true,
  needs: ({ category_id }) => [lock("categories", category_id)],
  run({ categories }, { category_id }) {
    if (!categories.get(category_id)) return notFound("Category");
    categories.remove(category_id);
    return null;
  },
};

/** Six digits, lower case; `#abc` means `#aabbcc`. */
function storedColor(color: string | null | undefined): string {
  if (color == null) return defaultColor;
  const short = /^#(.)(.)(.)$/.exec(color);
  const long = short
    ? `#${short
        .slice(1)
        .map((digit) => digit + digit)
        .join("")}`
    : color;
  return long.toLowerCase();
}
