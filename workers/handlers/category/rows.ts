import { presentCategory } from "../../../shared/db/present.ts";
import { forUpdate, type RowRequest } from "../../unit-of-work/row-request.ts";
import type { HandlerContext } from "../handler.ts";

type OneCategory = Readonly<{ category_id: number }>;

export const lockCategory = ({ category_id }: OneCategory): RowRequest[] => [
  forUpdate("categories", category_id),
];

export function currentCategory({ categories }: HandlerContext, { category_id }: OneCategory) {
  const row = categories.get(category_id);
  return row && presentCategory(row);
}
