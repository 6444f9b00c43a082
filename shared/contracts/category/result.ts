import { type Static, Type } from "typebox";
import { Name } from "../kernel/fields.ts";
import { form } from "../kernel/tool.ts";
import { quoteStored } from "../kernel/tool-result.ts";
import type { Category } from "./schema.ts";

/**
 * The form of update-todo that renames a category. It is not a tool of its own, and belongs to the one that changes
 * what is stored.
 */
export const renamingCategory = form({
  command: "category.rename",
  by: "rename_category",
  arguments: Type.Object({ category: Name, rename_category: Name }),
  toInput: ({ category, rename_category: name }) => ({ category, name }),
  facts: Type.Object({ category: Type.String() }),
  result: ({ name }: Static<typeof Category>, { category }: { category: string }) => ({
    lines: [`Renamed the category ${quoteStored(category)} to ${quoteStored(name)}.`],
    facts: { category: name },
  }),
});
