import { beginWork } from "../begin-work.ts";
import type { HandlerContext } from "../handler.ts";

/** Removes a category, whose habits leave it by the trigger of its table and whose todos leave it in steps. */
export function removeCategory(context: HandlerContext, category_id: number): void {
  context.categories.remove(category_id);
  beginWork(context, "category.delete", { category_id });
}
