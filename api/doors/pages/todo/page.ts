import { commands } from "../../../../shared/contracts/catalogue.ts";
import { maxInAction } from "../../../../shared/contracts/group/contracts.ts";
import type { Field } from "../../../../shared/contracts/kernel/declared-fields.ts";
import { todoTags } from "../../../../shared/contracts/todo/fields.ts";
import { listTodos } from "../../../../shared/contracts/todo/queries.ts";
import type { CategoryRefRow } from "../../../../shared/db/present.ts";
import { addDays, dateOfDay, dayNumber, type Today, weekStart } from "../../../../shared/domain/day/day.ts";
import { invalid, isRefused, type Refused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { type Fields, queryFields, validate } from "../../../http/input.ts";
import { operationOf } from "../../../perform.ts";
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
import { todoSorts } from "../../../queries/todo/order.ts";
import { formToken } from "../../../web/form/form.ts";
import { field, selectField } from "../../../web/form/form-fields.ts";
import { firstWeekday } from "../../../web/locale.ts";
import { seeOther } from "../../../web/redirect.ts";
import { chosenFormId, groupNames, type TodoItem, todoList } from "../kit/items.ts";
import {
  categoryChoices,
  chosenFilters,
  chosenSort,
  type FilterChoice,
  filterInput,
  filterSelect,
  foldedFilters,
  isWhole,
  optionsOf,
  pager,
  withoutPage,
} from "../kit/lists.ts";
import { capitalized, countInWords } from "../kit/words.ts";
import { liveMark, liveScripts } from "../live/live.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { accountPage, reminderWarning } from "../session/frame.ts";
import { hereWithoutNotes } from "../session/go-on.ts";
import { formKeyOf, submitLogged } from "../session/submit.ts";
import { notedPage, notedRefusal, noteOf } from "../tick/tick.ts";

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
    ${todoFilterForm(narrowing, categoryChoices(categories))}
    <div id="todos" data-part>
    ${isWhole(narrowing) ? groupLinks(counts) : html`<p class="quiet">${countInWords(todos.total, "todo")} found.</p>`}
    ${sections(visit, todos, { today, isFolded: isWhole(narrowing), isSorted: wanted.sort !== undefined })}
    ${todos.total > 0 && chosenForm(visit, categories)}
    ${pager({ path: "/account/todos", chosen, page: wanted.page, lastPage })}</div>`;
  const lead = html`<p class="links lead"><a href="/account/todos/new">New todo</a>
    <a href="/account/categories">Categories</a></p>`;
  return accountPage(visit, { title: "Todos", lead, body, scripts: liveScripts });
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
    .map(
      (group) =>
        html`<li><a href="/account/todos?due=${group}">${groupNames[group]} <span class="count">${counts[group]}</span></a></li>`,
    );
  const done =
    counts.done > 0 &&
    html`<li><a href="/account/todos?status=completed">Done <span class="count">${counts.done}</span></a></li>`;
  return html`<ul class="plain chips">${links}${done}</ul>`;
}

type How = Readonly<{ today: Today; isFolded: boolean; isSorted: boolean }>;

function sections(
  visit: Visit,
  { pending, done, total }: Found["todos"],
  { today, isFolded, isSorted }: How,
): Html {
  if (pending.length + done.length === 0)
    return html`<p class="quiet">${total > 0 ? "There is nothing on this page." : isFolded ? "No todos yet. Type one into the line above." : "Nothing found."}</p>`;
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

const todoFilterNames = ["q", "status", "due", "category_id", ...Object.keys(todoTags), "sort", "page"];

/** The filters as the query takes them: the fields of the REST list, where `due` is a group of due dates. */
function readTodoFilters(chosen: URLSearchParams): (TodoFilters & Readonly<{ page: number }>) | Refused {
  const { due, ...fields } = queryFields(listTodos.input, chosen);
  const name = dueGroups.find((known) => known === due);
  if (due !== undefined && !name)
    return invalid({ due: [`The due field must be one of: ${dueGroups.join(", ")}.`] });
  const sort = chosenSort(chosen, todoSorts);
  const validated = validate(listTodos, fields);
  if (isRefused(validated)) return validated;
  const group = name && { name, firstWeekday: firstWeekday() };
  const { category_id: categoryId, status, page = 1, ...others } = validated.input;
  return { ...others, categoryId, group, status: status === "all" ? undefined : status, sort, page };
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

const wordChoice = (word: string): FilterChoice => [word, capitalized(word)];

/** The form that filters and sorts the list; the address keeps its values. */
const todoFilterForm = (chosen: URLSearchParams, categories: readonly FilterChoice[]): Html =>
  foldedFilters("/account/todos", chosen, [
    filterSelect({ name: "status", label: "Show" }, statuses, chosen, "Open and done"),
    filterSelect({ name: "due", label: "Due" }, dues, chosen, "Any time"),
    filterSelect({ name: "category_id", label: "Category" }, categories, chosen),
    ...Object.entries<Field>(todoTags).map(([name, { label = name, value }]) =>
      value.enum
        ? filterSelect({ name, label }, value.enum.map(wordChoice), chosen, "Any")
        : filterInput("text", { name, label }, chosen),
    ),
    filterSelect({ name: "sort", label: "Order" }, sorts, chosen, "Due date"),
  ]);

export const manyPath = "/account/todos/many";

const formStart = (visit: Visit): Html => formToken(visit, { from: hereWithoutNotes(visit) });

/** The button that moves the listed overdue todos to today; it has their number if there are more. */
export function moveOverdue(visit: Visit, todos: readonly Readonly<{ id: number }>[], count: number): Html {
  const which = todos.length < count && html` <span class="count">${todos.length}</span>`;
  return html`<form method="post" action="${manyPath}" data-stay>${formStart(visit)}
    ${todos.map(({ id }) => html`<input type="hidden" name="todo_id" value="${id}">`)}
    <button class="plain" name="act" value="today">Move to today${which}</button></form>`;
}

/** The form of the boxes in the rows. It is shown while one of them is chosen. */
export function chosenForm(visit: Visit, categories: readonly CategoryRefRow[]): Html {
  const options = optionsOf([["", "As it is"], ["none", "None"], ...categoryChoices(categories)]);
  return html`<form method="post" action="${manyPath}" id="${chosenFormId}" class="chosen card" data-stay>
    ${formStart(visit)}
    <details><summary>Edit</summary>${field({ name: "title", label: "Title", required: false })}
    <div class="fields">${field({ name: "due_date", label: "Due date", type: "date", required: false })}
    ${selectField({ name: "category", label: "Category", value: "", options })}
    ${selectField({ name: "is_important", label: "Important", value: "", options: importance })}</div>
    <button name="act" value="edited">Save</button></details>
    <button class="plain" name="act" value="done">Done</button>
    <button class="plain" name="act" value="tomorrow">Tomorrow</button>
    <button class="plain" name="act" value="week">Next week</button></form>`;
}

const importance = optionsOf([
  ["", "As it is"],
  ["yes", "Yes"],
  ["no", "No"],
]);

/** POST /account/todos/many: changes the chosen todos as one action. Those that are gone are left out. */
export async function changeMany(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const { today } = await readDaySettings(visit.query);
  const act = form.get("act") ?? "";
  const ids = form.getAll("todo_id");
  const shared = changesOf(form, act, today.date);
  const name = act === "done" ? "todo.toggle" : "todo.update";
  if (ids.length === 0 || ids.length > maxInAction) return wrongCount;
  if (ids.length > 1 && "title" in shared) return oneTitle;
  const how = { idempotencyKey: formKeyOf(form), tool: name } as const;
  const [first = {}, ...others] = ids.map((id) => ({ todo_id: Number(id), ...shared }));
  const operations = [first, ...others].map((fields) => operationOf(commands[name], fields));
  const { outcome, key } =
    others.length === 0
      ? await submitLogged(visit, name, first, how)
      : await submitLogged(visit, "batch.run-as-one", { operations }, how);
  if (isRefused(outcome)) return notedRefusal(visit, form, outcome);
  return seeOther(notedPage(visit, form, noteOf({ verb: act, key }), ""));
}

const wrongCount = invalid({ todo_id: [`Choose 1 to ${maxInAction} todos at once.`] });
const oneTitle = invalid({ title: ["Choose one todo to change its title."] });

/** The fields of an act; empty fields of the form stay as they are. */
function changesOf(form: URLSearchParams, act: string, today: string): Fields {
  const [title, due_date, category, important] = ["title", "due_date", "category", "is_important"].map(
    (name) => form.get(name) ?? "",
  );
  if (act === "done") return { is_completed: true };
  if (act === "today") return { due_date: today };
  if (act === "tomorrow") return { due_date: addDays(today, 1) };
  if (act === "week") return { due_date: dateOfDay(weekStart(dayNumber(today)) + 7) };
  return {
    ...(title?.trim() && { title }),
    ...(due_date && { due_date }),
    ...(important && { is_important: important === "yes" }),
    ...(category && { category_id: category === "none" ? null : Number(category) }),
  };
}
