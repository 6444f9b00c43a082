import { categoryFields } from "../../../../shared/contracts/category/fields.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { html } from "../../../../shared/html.ts";
import { readCategory } from "../../../queries/category/read.ts";
import { draftOf, fieldsOfDraft, inputsOf } from "./field-inputs.ts";
import type { ThingForm } from "./thing-form.ts";

export const categoryForm: ThingForm = {
  noun: "category",
  idField: "category_id",
  commands: { create: "category.create", update: "category.update", remove: "category.delete" },
  newPath: "/account/categories",
  path: (id) => `/account/categories/${id}`,
  shownAt: () => "/account/categories",
  home: "/account/categories",
  title: "New category",
  blank: draftOf(categoryFields),
  commandFields: {},
  toFields: (draft) => ({ fields: fieldsOfDraft(categoryFields, draft), errors: {} }),
  async read(query, id) {
    const category = await readCategory(query, { category_id: id });
    if (isRefused(category)) return category;
    const draft = draftOf(categoryFields, category);
    return { draft, json: JSON.stringify(category), name: category.name };
  },
  inputs: (draft, errors) => html`${Object.values(inputsOf(categoryFields, draft, errors))}`,
};
