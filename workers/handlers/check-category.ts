import { invalid, type Refused } from "../../shared/errors.ts";
import type { HandlerContext } from "./handler.ts";

/**
 * Refuses a category that is not the caller's own. Somebody else's category and an unknown one get the same
 * words, so that nobody can find out which ids exist.
 */
export function checkCategory(
  { categories }: HandlerContext,
  id: number | null | undefined,
): Refused | undefined {
  if (id == null || categories.get(id)) return undefined;
  return invalid({ category_id: ["The category_id field must be the id of one of your categories."] });
}
