import { LRUCache } from "lru-cache";
import { folded } from "../folding.ts";

type Named = Readonly<{ name: string }>;

/**
 * The categories that a name means: exact matches, else those that differ only in case and accents. Names are not
 * unique, so there can be several, in the order given; by id, the first is the oldest.
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

/** Folded names are cached, because folding a thousand long names takes 30 ms and blocks other calls. */
const foldedNames = new LRUCache<string, string>({ max: 10_000, memoMethod: folded });

const mostListed = 20;
/** The most characters of the list without its last name. */
const maxListLength = 500;

/** Refuses an unknown category name and lists the names that could have been meant. */
export function unknownCategory(categories: readonly Named[]): string {
  const names = [...new Set(categories.map(({ name }) => name))];
  const known = namesToList(names).map((name) => `"${name}"`);
  const more = names.length - known.length;
  if (known.length === 0) return "The category field names no category, because there are none yet.";
  const rest = more > 0 ? ` and ${more} more` : "";
  return `The category field must name a category: ${known.join(", ")}${rest}.`;
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
