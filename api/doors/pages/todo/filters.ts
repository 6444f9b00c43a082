import { listTodos } from "../../../../shared/contracts/todo/queries.ts";
import { invalid, isRefused, type Refused } from "../../../../shared/errors.ts";
import type { Html } from "../../../../shared/html.ts";
import { queryFields } from "../../../http/input/query-fields.ts";
import { validate } from "../../../http/input/validate.ts";
import { dueGroups } from "../../../queries/todo/due-groups.ts";
import { todoOrders } from "../../../queries/todo/order.ts";
import type { TodoFilters } from "../../../queries/todo/overview.ts";
import { firstWeekday } from "../../../web/locale.ts";
import {
  chosenSort,
  type FilterChoice,
  filterInput,
  filterSelect,
  foldedFilters,
} from "../kit/filter-fields.ts";
import { groupNames } from "../kit/todo-item.ts";

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

const statuses: readonly FilterChoice[] = [
  ["incomplete", "Only open"],
  ["completed", "Only done"],
];
const dues = dueGroups.map((group): FilterChoice => [group, groupNames[group]]);
const sorts: readonly FilterChoice[] = [
  ["important", "Important first"],
  ["title", "Title"],
  ["newest", "Newest first"],
];

/** The form that filters and sorts the list; the address keeps its values. */
export const todoFilterForm = (chosen: URLSearchParams, categories: readonly FilterChoice[]): Html =>
  foldedFilters("/account/todos", chosen, [
    filterSelect({ name: "status", label: "Show" }, statuses, chosen, "Open and done"),
    filterSelect({ name: "due", label: "Due" }, dues, chosen, "Any time"),
    filterSelect({ name: "category_id", label: "Category" }, categories, chosen),
    filterInput("text", { name: "context", label: "Context" }, chosen),
    filterSelect({ name: "sort", label: "Order" }, sorts, chosen, "Due date"),
  ]);
