import { isRefused } from "../../../../shared/errors.ts";
import { html } from "../../../../shared/html.ts";
import { formToken } from "../../../web/form/form.ts";
import { categoryTag } from "../kit/facts.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { accountPage } from "../session/frame.ts";
import { categoryForm } from "./category-form.ts";
import { openForm } from "./thing-form.ts";

/** GET /account/categories: all categories, and a form for a new one. */
export async function showCategories(visit: Visit): Promise<PageAnswer> {
  const context = await openForm(visit);
  if (isRefused(context)) return context;
  const { categories } = context;
  const list = categories.toSorted((one, other) => one.name.localeCompare(other.name, "en"));
  const body = html`<p class="quiet lead">Themes of your habits and todos. A deleted one leaves them without a category.</p>
    <ul class="plain">${list.map(
      (
        category,
      ) => html`<li class="card spread" id="category-${category.id}"><p><a href="/account/todos?category_id=${category.id}">${categoryTag(category)}</a></p>
        <a href="${categoryForm.path(category.id)}">Edit<span class="unseen"> ${category.name}</span></a></li>`,
    )}</ul>
    ${list.length === 0 && html`<p class="quiet">You have none yet.</p>`}
    <h2>New category</h2>
    <form method="post" action="${categoryForm.newPath}" class="card">${formToken(visit, { key: crypto.randomUUID() })}
    ${categoryForm.inputs(categoryForm.blank, {}, context)}
    <button>Save</button></form>`;
  return accountPage(visit, { title: "Categories", body });
}
