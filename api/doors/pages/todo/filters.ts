import { listTodos } from "../../../../shared/contracts/todo/queries.ts";
import { invalid, isRefused, type Refused } from "../../../../shared/errors.ts";
import { queryFields } from "../../../http/input/query-fields.ts";
import { validate } from "../../../http/input/validate.ts";
import { dueGroups } from "../../../queries/todo/due-groups.ts";
import { todoOrders } from "../../../queries/todo/order.ts";
import type { TodoFilters } from "../../../queries/todo/overview.ts";
import { firstWeekday } from "../../../web/locale.ts";
import { chosenSort } from "../kit/filter-fields.ts";

export const todoFilterNames = ["q", "status", "due", "category_id", "context", "sort", "page"];

/** The filters as the query takes them: the fields of the REST list, where `due` is a group of due dates. */
export function readTodoFilters(
  chosen: URLSearchParams,
): (TodoFilters & Readonly<{ page: number }>) | Refused {
  const { due, ...fields } = queryFields(listTodos.input, chosen);
  const name = dueGroups.find((known) => known === due);
  if (due !== undefined && !name)
    return invalid({ due: [`The due field must be one of: ${dueGroups.join(", ")}.`] });
  const sort = chosenSort(chosen, Object.keys(todoOrders) as (keyof typeof todoOrders)[]);
  const validated = validate(listTodos, fields);
  if (isRefused(validated)) return validated;
  const group = name && { name, firstWeekday: firstWeekday() };
  const { q, context, category_id: categoryId, status, page = 1 } = validated.input;
  return { q, context, categoryId, group, status: status === "all" ? undefined : status, sort, page };
}
