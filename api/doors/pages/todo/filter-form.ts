import { type Html, html } from "../../../../shared/html.ts";
import { dueGroups } from "../../../queries/todo/due-groups.ts";
import { type FilterChoice, filterInput, filterSelect } from "../kit/filter-fields.ts";
import { groupNames } from "./group-names.ts";

const statuses: readonly FilterChoice[] = [
  ["incomplete", "Only open"],
  ["completed", "Only done"],
];
const dues = dueGroups.map((group): FilterChoice => [group, groupNames[group]]);

/** The form that filters the list; the address keeps its values. */
export const todoFilterForm = (chosen: URLSearchParams, categories: readonly FilterChoice[]): Html =>
  html`<form method="get" action="/account/todos" class="card" role="search">
    <div class="filters">${filterInput("search", { name: "q", label: "Search" }, chosen)}
    ${filterSelect({ name: "status", label: "Show" }, statuses, chosen, "Open and done")}
    ${filterSelect({ name: "due", label: "Due" }, dues, chosen, "Any time")}
    ${filterSelect({ name: "category_id", label: "Category" }, categories, chosen)}
    ${filterInput("text", { name: "context", label: "Context" }, chosen)}</div>
    <div class="actions"><button class="plain">Filter</button>
    ${chosen.size > 0 && html`<a href="/account/todos">Show all</a>`}</div></form>`;
