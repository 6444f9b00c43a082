import { listTodos } from "../../../../shared/contracts/todo/queries.ts";
import type { Today } from "../../../../shared/domain/day/day.ts";
import { invalid, isRefused, type Refused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { queryFields } from "../../../http/input/query-fields.ts";
import { validate } from "../../../http/input/validate.ts";
import { readCategoryRefs } from "../../../queries/category/read.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import { orStopped } from "../../../queries/engine/search.ts";
import {
  dueGroupOf,
  dueGroups,
  readTodoCounts,
  readTodoPage,
  type TodoFilters,
  todosPerPage,
} from "../../../queries/todo/groups.ts";
import { todoOrders } from "../../../queries/todo/order.ts";
import { firstWeekday } from "../../../web/locale.ts";
import { countInWords } from "../kit/dates.ts";
import {
  categoryChoices,
  chosenFilters,
  chosenSort,
  type FilterChoice,
  filterInput,
  filterSelect,
  foldedFilters,
  isWhole,
  withoutPage,
} from "../kit/filter-fields.ts";
import { pager } from "../kit/pager.ts";
import { groupNames, type TodoItem, todoList } from "../kit/todo-item.ts";
import { liveMark, liveScripts } from "../live/live-mark.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { accountPage } from "../session/frame.ts";
import { reminderWarning } from "../session/reminder-warning.ts";
import { chosenForm } from "./many.ts";

type Wanted = TodoFilters & Readonly<{ page: number }>;

/** GET /account/todos?q=…&status=…&due=…&category_id=…&context=…&sort=…&page=…: all todos, the done ones last. */
export async function showTodos(visit: Visit): Promise<PageAnswer> {
  const { context, session, url } = visit;
  const chosen = chosenFilters(url, todoFilterNames);
  const wanted = readTodoFilters(chosen);
  if (isRefused(wanted)) return wanted;
  const [mark, warning] = await Promise.all([liveMark(visit), reminderWarning(visit)]);
  const query = context.query({ userId: session.sub }, { standbyMayAnswer: true });
  const reading = query.inTurn((own) => readAll(own, wanted), isCostly(wanted));
  const found = await orStopped("q", reading);
  if (isRefused(found)) return found;
  const { today, categories, counts, todos } = found;
  const lastPage = Math.max(1, Math.ceil(todos.total / todosPerPage));
  const narrowing = withoutPage(chosen);
  const body = html`${mark}${warning}
    <p class="links"><a href="/account/todos/new">New todo</a>
    <a href="/account/categories">Categories</a></p>
    ${todoFilterForm(narrowing, categoryChoices(categories))}
    <div id="todos" data-part>
    ${isWhole(narrowing) ? groupLinks(counts) : html`<p class="quiet">${countInWords(todos.total, "todo")} found.</p>`}
    ${sections(visit, todos, { today, isFolded: isWhole(narrowing), isSorted: wanted.sort !== undefined })}
    ${todos.total > 0 && chosenForm(visit, categories)}
    ${pager({ path: "/account/todos", chosen, page: wanted.page, lastPage })}</div>`;
  return accountPage(visit, { title: "Todos", body, scripts: liveScripts });
}

/** A search and a chosen order look at all todos. */
const isCostly = ({ q, sort }: Wanted): boolean => q !== undefined || sort !== undefined;

async function readAll(query: QueryContext, wanted: Wanted) {
  const { today } = await readDaySettings(query);
  const todos = await readTodoPage(query, today, wanted);
  const counts = await readTodoCounts(query, today, firstWeekday());
  return { today, todos, counts, categories: await readCategoryRefs(query) };
}

type Found = Awaited<ReturnType<typeof readAll>>;

function groupLinks(counts: Found["counts"]): Html {
  const links = dueGroups
    .filter((group) => counts[group] > 0)
    .map((group) => html`<a href="/account/todos?due=${group}">${groupNames[group]} ${counts[group]}</a>`);
  const done = counts.done > 0 && html`<a href="/account/todos?status=completed">Done ${counts.done}</a>`;
  return html`<p class="links">${links}${done}</p>`;
}

type How = Readonly<{ today: Today; isFolded: boolean; isSorted: boolean }>;

function sections(
  visit: Visit,
  { pending, done, total }: Found["todos"],
  { today, isFolded, isSorted }: How,
): Html {
  if (pending.length + done.length === 0)
    return html`<p class="quiet">${total === 0 ? "There is no such todo." : "There is nothing on this page."}</p>`;
  const list = (todos: readonly TodoItem[]) => todoList(visit, todos, today);
  const groups = Map.groupBy(pending, (todo) => dueGroupOf(todo, today.date, firstWeekday()));
  const open = isSorted
    ? [list(pending)]
    : [...groups].map(([group, todos]) => html`<h2 class="part">${groupNames[group]}</h2>${list(todos)}`);
  if (done.length === 0) return html`${open}`;
  const heading = html`<h2 class="part">Done</h2>`;
  // Done todos are folded unless somebody asked for them.
  return isFolded && pending.length > 0
    ? html`${open}<details><summary>${heading}</summary>${list(done)}</details>`
    : html`${open}${heading}${list(done)}`;
}

const todoFilterNames = ["q", "status", "due", "category_id", "context", "sort", "page"];

/** The filters as the query takes them: the fields of the REST list, where `due` is a group of due dates. */
function readTodoFilters(chosen: URLSearchParams): (TodoFilters & Readonly<{ page: number }>) | Refused {
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
const todoFilterForm = (chosen: URLSearchParams, categories: readonly FilterChoice[]): Html =>
  foldedFilters("/account/todos", chosen, [
    filterSelect({ name: "status", label: "Show" }, statuses, chosen, "Open and done"),
    filterSelect({ name: "due", label: "Due" }, dues, chosen, "Any time"),
    filterSelect({ name: "category_id", label: "Category" }, categories, chosen),
    filterInput("text", { name: "context", label: "Context" }, chosen),
    filterSelect({ name: "sort", label: "Order" }, sorts, chosen, "Due date"),
  ]);
