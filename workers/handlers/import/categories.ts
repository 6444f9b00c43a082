import { categoryFields } from "../../../shared/contracts/category/fields.ts";
import type { ImportedThings } from "../../../shared/contracts/import/things.ts";
import { newColumns } from "../columns.ts";
import type { HandlerContext } from "../handler.ts";
import { type KnownThings, timesOf } from "./things.ts";

type ImportedCategory = ImportedThings["categories"];

/** A category whose name the person already has is that one, because two of a name would confuse. */
export function missingCategories(
  { categories }: Pick<HandlerContext, "categories">,
  things: readonly ImportedCategory[],
): ImportedCategory[] {
  const names = new Set(categories.all().map(({ name }) => name));
  return things.filter(({ name }) => !names.has(name));
}

/** Makes missing categories, and finds the others. */
export function insertCategories(
  context: HandlerContext,
  things: readonly ImportedCategory[],
  missing: readonly ImportedCategory[],
  { ids }: KnownThings,
): void {
  const { categories, nextId } = context;
  const byName = new Map(categories.all().map(({ name, id }) => [name, id]));
  for (const thing of missing) {
    const id = nextId("categories");
    categories.insert({ id, ...newColumns(categoryFields, thing), ...timesOf(context, thing) });
    ids.set(thing.key, id);
  }
  for (const { key, name } of things) {
    const id = ids.get(key) ?? byName.get(name);
    if (id !== undefined) ids.set(key, id);
  }
}
