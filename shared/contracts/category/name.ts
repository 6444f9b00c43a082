import { unknownCategory } from "../../domain/category/by-name.ts";
import { type FieldErrors, invalid, type Refused } from "../../errors.ts";
import type { Scope } from "../kernel/scopes.ts";

/** A tool takes a category by its name or by its id. */
export function checkOneCategory({
  category,
  category_id,
}: Readonly<{ category?: unknown; category_id?: unknown }>): FieldErrors | undefined {
  if (category === undefined || category_id === undefined) return undefined;
  return { category: ["The category field cannot be given together with category_id."] };
}

/** The refusal of a name that none of the user's categories has; it lists them. */
export function refuseCategory(categories: readonly Readonly<{ name: string }>[]): Refused {
  return { refusal: { ...invalid(unknownCategory(categories)).refusal, listsCategories: true } };
}

/** Removes the list of categories, unless the caller may list them. */
export function hideCategories({ refusal }: Refused, scopes: readonly Scope[]): Refused {
  const { listsCategories, ...told } = refusal;
  if (!listsCategories || scopes.includes("categories:read")) return { refusal: told };
  return invalid({ category: ["The category field must name a category of yours."] });
}
