import type { Html } from "../../../../shared/html.ts";
import { dueGroups } from "../../../queries/todo/due-groups.ts";
import { type FilterChoice, filterInput, filterSelect, foldedFilters } from "../kit/filter-fields.ts";
import { groupNames } from "./group-names.ts";

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
