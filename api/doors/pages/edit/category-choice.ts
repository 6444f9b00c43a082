import { categoriesNamed } from "../../../../shared/domain/category/by-name.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { type Option, selectField } from "../../../web/form/choice-fields.ts";
import type { FormContext } from "./thing-form.ts";

/** Marks a category that is made when the form is saved. */
const newPrefix = "new:";

type Categories = Pick<FormContext, "categories">;

/** The form value for a category name, whether or not the category exists. */
export function categoryValue(name: string | null, { categories }: Categories): string {
  if (name === null) return "";
  const [known] = categoriesNamed(categories, name);
  return known ? String(known.id) : `${newPrefix}${name}`;
}

/** The name of the category to make; undefined if none is needed or it exists already. */
export function newCategoryName(value: string, { categories }: Categories): string | undefined {
  if (!value.startsWith(newPrefix)) return undefined;
  const name = value.slice(newPrefix.length);
  return categoriesNamed(categories, name).length > 0 ? undefined : name;
}

/** The id of the chosen category; null for none. A new name has no id until its category is made. */
export function chosenCategoryId(value: string, { categories }: Categories): number | null {
  if (!value.startsWith(newPrefix)) return value === "" ? null : Number(value);
  return categoriesNamed(categories, value.slice(newPrefix.length))[0]?.id ?? null;
}

export function categoryField(value: string, error: string | undefined, context: Categories): Html {
  const { categories } = context;
  const wanted = newCategoryName(value, context);
  const options: Option[] = [
    { value: "", label: "None" },
    ...(wanted === undefined ? [] : [{ value, label: `${wanted} (new)` }]),
    ...categories.map(({ id, name }) => ({ value: String(id), label: name })),
  ];
  const isUnknown = wanted !== undefined;
  const hint = isUnknown
    ? html`There is no category <strong>${wanted}</strong> yet. It is made when you save, unless you choose another.`
    : html`<a href="/account/categories">Your categories</a>`;
  return selectField({ name: "category", label: "Category", value, options, error, hint });
}
