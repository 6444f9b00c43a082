import { Type } from "typebox";
import { Name } from "../../../../shared/contracts/kernel/fields.ts";
import type { FieldErrors } from "../../../../shared/errors.ts";

/** A misspelt name makes no category: only `new_category` does. */
export const categoryNames = { category: Type.Optional(Name), new_category: Type.Optional(Name) };

/** Making a category needs its own scope. */
export const newCategoryScope = { new_category: "categories:write" } as const;

const waysToCategory = ["category", "new_category", "category_id"] as const;
type WaysToCategory = Readonly<{ [Way in (typeof waysToCategory)[number]]?: unknown }>;

/** A tool takes a category by its name, by the name of a new one, or by its id. */
export function checkOneCategory(args: WaysToCategory): FieldErrors | undefined {
  const [first, second] = waysToCategory.filter((name) => args[name] !== undefined);
  if (first === undefined || second === undefined) return undefined;
  return { [first]: [`The ${first} field cannot be given together with ${second}.`] };
}
