import type { ImportedThings } from "../../../shared/contracts/import-things.ts";
import { storedColor } from "../category/color.ts";
import type { HandlerContext } from "../handler.ts";
import type { KnownIds } from "./parts.ts";
import { timesOf } from "./times.ts";

/**
 * A category of a name that the person already had is that one: two of a name would only be in the way.
 * @returns how many were made
 */
export function insertCategories(
  context: HandlerContext,
  things: readonly ImportedThings["categories"][],
  known: KnownIds,
): number {
  const { categories, nextId } = context;
  const byName = new Map(categories.all().map(({ name, id }) => [name, id]));
  const missing = things.filter(({ name }) => !byName.has(name));
  for (const thing of missing) {
    const { key, name, color, icon } = thing;
    const id = nextId("categories");
    categories.insert({ id, name, color: storedColor(color), icon, ...timesOf(context, thing) });
    known.set(key, id);
  }
  for (const { key, name } of things) {
    const id = known.get(key) ?? byName.get(name);
    if (id !== undefined) known.set(key, id);
  }
  return missing.length;
}
