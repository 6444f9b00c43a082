import { refuseCategory } from "../../../shared/contracts/category/name.ts";
import { categoriesNamed } from "../../../shared/domain/category/by-name.ts";
import { invalid, type Refused } from "../../../shared/errors.ts";
import { allWithoutLock, forKeyShare, type RowRequest } from "../../unit-of-work/row-request.ts";
import type { HandlerContext, LoadedTables, Related } from "../handler.ts";
import { insertCategory } from "./insert.ts";

/** The fields of a habit or todo that name its category, by id or by name. */
type CategoryFields = Readonly<{
  category_id?: number | null;
  category?: string | null;
  new_category?: string | null;
}>;

type CategoryColumn = () => Readonly<{ category_id?: number | null }>;

const nameIn = ({ category, new_category }: CategoryFields) => category ?? new_category;

/** The rows for a category's id or name. A name has its id only once all names are loaded. */
export function categoryRows(input: CategoryFields): RowRequest[] {
  const { category_id } = input;
  const name = nameIn(input);
  if (name == null && category_id == null) return [];
  return [...forKeyShare("categories", category_id), ...(name == null ? [] : [allWithoutLock("categories")])];
}

/** All categories of that name are locked, because an earlier command may rename one of them. */
export function relatedToChoice({ categories }: LoadedTables, input: CategoryFields): Related {
  const name = nameIn(input);
  if (name == null) return { rows: [] };
  const rows = categoriesNamed(categories.all(), name).flatMap(({ id }) => forKeyShare("categories", id));
  return { rows, makes: input.new_category == null ? [] : ["categories"] };
}

/**
 * The chosen category as a column; no column if none is named. A new category is made only when the column is read,
 * after all refusals. Somebody else's category and an unknown one get the same refusal, so ids of others cannot be
 * guessed.
 */
export function chosenCategory(
  context: HandlerContext,
  { category_id, category, new_category }: CategoryFields,
): CategoryColumn | Refused {
  const { categories } = context;
  const column = (category_id: number | null) => () => ({ category_id });
  if (category != null) {
    const known = allCategories(context);
    const [oldest] = categoriesNamed(known, category);
    return oldest ? column(oldest.id) : refuseCategory(known, "new_category makes a new one.");
  }
  if (new_category != null) return newCategory(context, new_category);
  if (category_id === undefined) return category === null ? column(null) : () => ({});
  if (category_id === null || categories.get(category_id)) return column(category_id);
  return invalid({ category_id: ["The category_id field must be the id of one of your categories."] });
}

/** Ordered by id, so the first of a name is the oldest. */
export const allCategories = ({ categories }: Pick<HandlerContext, "categories">) =>
  categories.all().sort((one, other) => one.id - other.id);

/** An existing category is used again, because one call may name it for several things. */
function newCategory(context: HandlerContext, name: string): CategoryColumn | Refused {
  const [oldest] = categoriesNamed(allCategories(context), name);
  if (oldest) return () => ({ category_id: oldest.id });
  return context.useQuota("categories") ?? (() => ({ category_id: insertCategory(context, { name }).id }));
}
