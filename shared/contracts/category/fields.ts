import { Type } from "typebox";
import { unknownCategory } from "../../domain/category/by-name.ts";
import { invalid, type Refused } from "../../errors.ts";
import { color, line, optional, required, schemasOf, usually } from "../kernel/declared-fields.ts";
import { Clearable, Color, Id, Name, Timestamp, titled, titledObject } from "../kernel/fields.ts";
import type { Scope } from "../kernel/scopes.ts";

const Icon = titled(
  "Icon",
  Type.String({
    pattern: "^[a-z0-9-]+$",
    maxLength: 64,
    expects: "an icon name of at most 64 characters from a-z, 0-9 and -",
  }),
);

export const categoryFields = {
  name: required(line(Name), { label: "Name", meaning: "The name that people read" }),
  color: usually(color(Color), "#6b7280", { label: "Colour", meaning: "Its colour on pages and in apps" }),
  icon: optional(line(Icon), {
    label: "Icon",
    hint: "The name of an icon, for apps that show one: a-z, 0-9 and -",
  }),
};

export const CategoryRef = titledObject("CategoryRef", { id: Id, name: Type.String(), color: Type.String() });

export const Category = titledObject("Category", {
  id: Id,
  ...schemasOf(categoryFields, "shown"),
  created_at: Timestamp,
  updated_at: Timestamp,
});

/** A tool names an old or new category for the thing. REST has its id, and an address that makes one. */
export const categoryNameFields = { category: Clearable(Name), new_category: Clearable(Name) };

/** The refusal of a name that none of the user's categories has; it lists them. @param next the next step */
export function refuseCategory(categories: readonly Readonly<{ name: string }>[], next?: string): Refused {
  const reason = unknownCategory(categories);
  const problem = next === undefined ? reason : { reason, next };
  return { refusal: { ...invalid({ category: [problem] }).refusal, listsCategories: true } };
}

export function hideCategories({ refusal }: Refused, scopes: readonly Scope[]): Refused {
  const { listsCategories, ...others } = refusal;
  if (!listsCategories || scopes.includes("categories:read")) return { refusal: others };
  return invalid({ category: ["The category field must name a category of yours."] });
}
