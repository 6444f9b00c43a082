import { isRefused } from "../../../shared/errors.ts";
import { field } from "../../../shared/web/form-fields.ts";
import { html } from "../../../shared/web/html.ts";
import { readCategory } from "../../queries/category.ts";
import type { Draft, ThingForm } from "./thing-form.ts";

const blank = { name: "", color: "#6b7280", icon: "" } satisfies Draft;

/** The pages of categories. */
export const categoryForm: ThingForm = {
  noun: "category",
  idField: "category_id",
  commands: { create: "category.create", update: "category.update", remove: "category.delete" },
  newPath: "/account/categories",
  path: (id) => `/account/categories/${id}`,
  shownAt: () => "/account/categories",
  home: "/account/categories",
  title: "New category",
  blank,
  commandFields: {},
  toFields: ({ name = "", color, icon }) => ({
    fields: { name, color: color || null, icon: icon?.trim() || null },
    errors: {},
  }),
  async read(query, id) {
    const category = await readCategory(query, { category_id: id });
    if (isRefused(category)) return category;
    const { name, color, icon } = category;
    return { draft: { name, color, icon: icon ?? "" }, json: JSON.stringify(category), name };
  },
  inputs: (draft, errors) => {
    const of = (name: string) => ({ name, value: draft[name] ?? "", error: errors[name] });
    return html`${field({ ...of("name"), label: "Name", max: 255 })}
      ${field({ ...of("color"), label: "Colour", type: "color", required: false })}
      ${field({
        ...of("icon"),
        label: "Icon",
        required: false,
        max: 64,
        hint: "The name of an icon, for apps that show one: a-z, 0-9 and -",
      })}`;
  },
};
