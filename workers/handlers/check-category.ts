import { invalid, type Refused } from "../../shared/errors.ts";
import type { Context } from "./handler.ts";

/** The refusal of a category that is not the caller's own: the same words for a foreign as for an unknown id. */
export function unknownCategory({ categories }: Context, id: number | null | undefined): Refused | undefined {
  if (id == null || categories.get(id)) return undefined;
  return invalid({ category_id: ["The category_id field must be the id of one of your categories."] });
}
