import { categoryFields } from "../../../../shared/contracts/category/fields.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { html } from "../../../../shared/html.ts";
import { readCategory } from "../../../queries/category/read.ts";
import { formToken } from "../../../web/form/form.ts";
import { categoryTag } from "../kit/words.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { accountPage } from "../session/frame.ts";
import { draftOf, fieldsOfDraft, inputsOf, openForm, type ThingForm } from "./thing-form.ts";

/** GET /account/categories: all categories, and a form for a new one. */
export async function showCategories(visit: Visit): Promise<PageAnswer> {
  const context = await openForm(visit);
  if (isRefused(context)) return context;
  const { categories } = context;
  const list = categories.toSorted((one, other) => one.name.localeCompare(other.name, "en"));
  const body = html`<p class="quiet lead">Group habits and todos. Deleting a category keeps its items.</p>
    <ul class="plain">${list.map(
      (
        category,
      ) => html`<li class="card spread" id="category-${category.id}"><p><a href="/account/todos?category_id=${category.id}">${categoryTag(category)}</a></p>
        <a href="${categoryForm.path(category.id)}">Edit<span class="unseen"> ${category.name}</span></a></li>`,
    )}</ul>
    ${list.length === 0 && html`<p class="empty">No categories yet.</p>`}
    <h2>New category</h2>
    <form method="post" action="${categoryForm.newPath}" class="card">${formToken(visit, { key: crypto.randomUUID() })}
    ${categoryForm.inputs(categoryForm.blank, {}, context)}
    <button>Save</button></form>`;
  return accountPage(visit, { title: "Categories", body });
}

export const categoryForm: ThingForm = {
  noun: "category",
  newPath: "/account/categories",
  path: (id) => `/account/categories/${id}`,
  shownAt: () => "/account/categories",
  home: "/account/categories",
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
