import { refuseCategory } from "../../../shared/contracts/category/name.ts";
import { categoriesNamed } from "../../../shared/domain/category/by-name.ts";
import { invalid, type Refused } from "../../../shared/errors.ts";
import { allWithoutLock, forKeyShare, type RowRequest } from "../../unit-of-work/row-request.ts";
import type { HandlerContext, LoadedTables } from "../handler.ts";

/** The fields of a habit or todo that name its category, by id or by name. */
type CategoryFields = Readonly<{ category_id?: number | null; category?: string | null }>;

/** The rows that a category's id or name leads to. Of a name, the category is known once all names are loaded. */
export const categoryRows = ({ category_id, category }: CategoryFields): RowRequest[] =>
  category == null && category_id == null
    ? []
    : [
        ...forKeyShare("categories", category_id),
        ...(category == null ? [] : [allWithoutLock("categories")]),
      ];

/** All of that name are locked, because a command before this one may rename one of them. */
export const categoriesToLock = ({ categories }: LoadedTables, { category }: CategoryFields): RowRequest[] =>
  category == null
    ? []
    : categoriesNamed(categories.all(), category).flatMap(({ id }) => forKeyShare("categories", id));

/**
 * The chosen category as a column: nothing when none is named. Somebody else's category and an unknown one are refused
 * with the same words, so that nobody can find out which ids exist.
 */
export function chosenCategory(
  { categories }: HandlerContext,
  { category_id, category }: CategoryFields,
): Readonly<{ category_id?: number | null }> | Refused {
  if (category != null) {
    const known = categories.all().sort((one, other) => one.id - other.id);
    const [oldest] = categoriesNamed(known, category);
    return oldest ? { category_id: oldest.id } : refuseCategory(known);
  }
  if (category_id === undefined) return category === null ? { category_id: null } : {};
  if (category_id === null || categories.get(category_id)) return { category_id };
  return invalid({ category_id: ["The category_id field must be the id of one of your categories."] });
}
