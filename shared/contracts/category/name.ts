import { Type } from "typebox";
import { unknownCategory } from "../../domain/category/by-name.ts";
import { type FieldErrors, invalid, type Refused } from "../../errors.ts";
import { Clearable, Name } from "../kernel/fields.ts";
import type { Scope } from "../kernel/scopes.ts";

const waysToCategory = ["category", "new_category", "category_id"] as const;
type WaysToCategory = Readonly<{ [Way in (typeof waysToCategory)[number]]?: unknown }>;

/** A tool takes a category by its name, by the name of a new one, or by its id. */
export function checkOneCategory(args: WaysToCategory): FieldErrors | undefined {
  const [first, second] = waysToCategory.filter((name) => args[name] !== undefined);
  if (first === undefined || second === undefined) return undefined;
  return { [first]: [`The ${first} field cannot be given together with ${second}.`] };
}

/** A tool names an old or new category for the thing. REST has its id, and an address that makes one. */
export const categoryNames = { category: Type.Optional(Name), new_category: Type.Optional(Name) };
export const categoryNameFields = { category: Clearable(Name), new_category: Clearable(Name) };
/** Making a category needs its own scope. */
export const categoryNameScopes = { new_category: "categories:write" } as const;

/** The refusal of a name that none of the user's categories has; it lists them. @param next the next step */
export function refuseCategory(categories: readonly Readonly<{ name: string }>[], next?: string): Refused {
  const reason = unknownCategory(categories);
  const problem = next === undefined ? reason : { reason, next };
  return { refusal: { ...invalid({ category: [problem] }).refusal, listsCategories: true } };
}

/** Removes the list of categories, unless the caller has permission to list them. */
export function hideCategories({ refusal }: Refused, scopes: readonly Scope[]): Refused {
  const { listsCategories, ...others } = refusal;
  if (!listsCategories || scopes.includes("categories:read")) return { refusal: others };
  return invalid({ category: ["The category field must name a category of yours."] });
}
