import { categoryFields } from "../../../shared/contracts/category/fields.ts";
import type { CategoryRow } from "../../../shared/db/entities.ts";
import { newColumns } from "../columns.ts";
import type { HandlerContext } from "../handler.ts";

type NewCategory = Parameters<typeof newColumns<typeof categoryFields>>[1];

export function insertCategory({ categories, nextId, now }: HandlerContext, input: NewCategory): CategoryRow {
  const columns = newColumns(categoryFields, input);
  return categories.insert({ id: nextId("categories"), ...columns, created_at: now, updated_at: now });
}
