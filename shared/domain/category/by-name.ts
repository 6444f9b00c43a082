import { LRUCache } from "lru-cache";
import type { FieldErrors } from "../../errors.ts";
import { folded } from "../folding.ts";

type Named = Readonly<{ name: string }>;

/**
 * The categories that a name means: those of exactly this name, else those that differ in case and accents alone.
 * A name is not unique, so there can be several; the first is the oldest when they come in the order of their ids.
 */
export function categoriesNamed<Category extends Named>(
  categories: readonly Category[],
  name: string,
): readonly Category[] {
  const exact = categories.filter((category) => category.name === name);
  if (exact.length > 0) return exact;
  const wanted = folded(name);
  return categories.filter((category) => foldedNames.memo(category.name) === wanted);
}

/** Kept, because folding a thousand long names takes 30 ms, for which others would wait at each call. */
const foldedNames = new LRUCache<string, string>({ max: 10_000, memoMethod: folded });

const mostListed = 20;
/** How long the list may be, but for its last name. */
const maxListLength = 500;

/** Refuses a name that no category has, with the names that could have been meant. */
export function unknownCategory(categories: readonly Named[]): FieldErrors {
  const names = [...new Set(categories.map(({ name }) => name))];
  const known = namesToList(names).map((name) => `"${name}"`);
  const more = names.length - known.length;
  if (known.length === 0)
    return { category: ["The category field names no category, because there are none yet."] };
  const rest = more > 0 ? ` and ${more} more` : "";
  return { category: [`The category field must name a category: ${known.join(", ")}${rest}.`] };
}

function namesToList(names: readonly string[]): readonly string[] {
  const listed: string[] = [];
  let left = maxListLength;
  for (const name of names) {
    if (left <= 0 || listed.length === mostListed) break;
    listed.push(name);
    left -= name.length;
  }
  return listed;
}
