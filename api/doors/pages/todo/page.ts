import { commands } from "../../../../shared/contracts/catalogue.ts";
import { maxInAction } from "../../../../shared/contracts/group/contracts.ts";
import type { Field } from "../../../../shared/contracts/kernel/declared-fields.ts";
import { todoTags } from "../../../../shared/contracts/todo/fields.ts";
import { listTodos } from "../../../../shared/contracts/todo/queries.ts";
import type { CategoryRefRow } from "../../../../shared/db/present.ts";
import { addDays, type Today } from "../../../../shared/domain/day/day.ts";
import { invalid, isRefused, type Refused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { type Fields, queryFields, validate } from "../../../http/input.ts";
import { operationOf } from "../../../perform.ts";
import { readPlaces } from "../../../queries/dashboard/read.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import { orStopped } from "../../../queries/engine/search.ts";
import {
  dueGroupOf,
  dueGroups,
  readContexts,
  readTodoCounts,
  readTodoPage,
  type TodoFilters,
  todosPerPage,
} from "../../../queries/todo/groups.ts";
import { todoSorts } from "../../../queries/todo/order.ts";
import { formToken } from "../../../web/form/form.ts";
import { field, selectField } from "../../../web/form/form-fields.ts";
import { icon } from "../../../web/icons.ts";
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
  isWhole,
  optionsOf,
  pager,
  withoutPage,
} from "../kit/lists.ts";
import { capitalized, categoryTag, countInWords, nextWeek, sayDate } from "../kit/words.ts";
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
  const {
    today,
    categories,
    counts,
    todos,
    todos: { total },
  } = found;
  const lastPage = Math.max(1, Math.ceil(todos.total / todosPerPage));
  const narrowing = withoutPage(chosen);
  const body = html`${mark}${warning}
    <div class="finder">${findForm(narrowing)}${chips(found, narrowing)}</div>
    <div id="todos" data-part>
    ${!isWhole(narrowing) && html`<p class="quiet small">${countInWords(total, "todo")} found.</p>`}
    ${sections(visit, todos, { today, isFolded: isWhole(narrowing), isSorted: wanted.sort !== undefined })}
    ${chosenForm(visit, categories)}
    ${pager({ path: "/account/todos", chosen, page: wanted.page, lastPage })}</div>`;
  const lead = html`<p id="lead" class="quiet lead" data-part>${found.open > 0 && html`${found.open} open${counts.overdue > 0 && html`, ${counts.overdue} overdue`}`}</p>
    <details class="more corner" name="more"><summary aria-label="More">${icon("more")}</summary><div class="card menu">
    <a href="/account/upcoming">Upcoming</a><a href="/account/todos/new">New todo</a><a href="/account/categories">Categories</a></div></details>`;
  return accountPage(visit, { title: "Todos", lead, body, scripts: liveScripts });
}

/** A search and a chosen order look at all todos. */
const isCostly = ({ q, sort }: Wanted): boolean => q !== undefined || sort !== undefined;

async function readAll(query: QueryContext, wanted: Wanted) {
  const { today } = await readDaySettings(query);
  const todos = await readTodoPage(query, today, wanted);
  const counts = await readTodoCounts(query, today, firstWeekday());
  const { categories, todos: open } = await readPlaces(query);
  return { today, todos, counts, categories, open, contexts: await readContexts(query) };
}

type Found = Awaited<ReturnType<typeof readAll>>;

/** Each chip is a filter in the address, which a second press takes out again. */
function chips({ counts, categories, contexts }: Found, chosen: URLSearchParams): Html {
  const chip = (name: string, value: string, label: Html | string, count?: number) => {
    const isOn = chosen.get(name) === value;
    const query = new URLSearchParams([...chosen].filter((one) => one[0] !== name));
    if (!isOn) query.set(name, value);
    const shown = isOn || count !== 0;
    return (
      shown &&
      html`<li><a href="/account/todos?${query.toString()}"${isOn && html` aria-current="true"`}>${label} <span class="count">${count}</span></a></li>`
    );
  };
  const place = chosen.get("context");
  const isKnown = place === null || contexts.some(({ name }) => name === place);
  const places = isKnown ? contexts : [...contexts, { name: place, count: undefined }];
  return html`<ul class="plain chips" id="chips" data-part aria-label="Filters">
    ${dueGroups
      .filter((group) => group === "overdue" || group === "today" || group === chosen.get("due"))
      .map((group) => chip("due", group, groupNames[group], counts[group]))}
    ${categories.map((one) => chip("category_id", String(one.id), categoryTag(one) ?? "", one.count))}
    ${places.map(({ name, count }) => chip("context", name, `@${name}`, count))}
    ${chip("status", "completed", "Done", counts.done)}</ul>`;
}

type How = Readonly<{ today: Today; isFolded: boolean; isSorted: boolean }>;

function sections(
  visit: Visit,
  { pending, done, total }: Found["todos"],
  { today, isFolded, isSorted }: How,
): Html {
  if (pending.length + done.length === 0)
    return html`<p class="quiet">${total > 0 ? "There is nothing on this page." : isFolded ? "No todos yet. Add the first one with the plus." : "Nothing found."}</p>`;
  const list = (todos: readonly TodoItem[]) => todoList(visit, todos, today);
  const groups = Map.groupBy(pending, (todo) => dueGroupOf(todo, today.date, firstWeekday()));
  const open = isSorted
    ? [list(pending)]
    : [...groups].map(
        ([group, todos]) =>
          html`<h2 class="part${group === "overdue" && " late"}">${groupNames[group]}</h2>${list(todos)}`,
      );
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

const sorts: readonly FilterChoice[] = [
  ["important", "Important first"],
  ["title", "Title"],
  ["newest", "Newest first"],
];

const wordChoice = (word: string): FilterChoice => [word, capitalized(word)];

/** Contexts are chips. */
const otherTags = Object.entries<Field>(todoTags).filter(([name]) => name !== "context");
const fieldsOfForm = ["q", "sort", ...otherTags.map(([name]) => name)];

/** Searches while one types, and by a button without scripts; the address keeps the words and the order. */
const findForm = (chosen: URLSearchParams): Html =>
  html`<form method="get" action="/account/todos" class="find" role="search" data-live>
    ${filterInput("search", { name: "q", label: "Search as you type" }, chosen)}
    ${otherTags.map(([name, { label = name, value }]) =>
      value.enum
        ? filterSelect({ name, label }, value.enum.map(wordChoice), chosen, "Any")
        : filterInput("text", { name, label }, chosen),
    )}
    ${[...chosen].map(([name, value]) => !fieldsOfForm.includes(name) && html`<input type="hidden" name="${name}" value="${value}">`)}
    <select name="sort" aria-label="Order"><option value="">By date</option>${sorts.map(
      ([value, label]) =>
        html`<option value="${value}"${value === chosen.get("sort") && html` selected`}>${label}</option>`,
    )}</select>
    <button class="plain">Show</button></form>`;

export const manyPath = "/account/todos/many";

const formStart = (visit: Visit): Html => formToken(visit, { from: hereWithoutNotes(visit) });

type Overdue = Readonly<{ count: number; today: Today; isOpen: boolean }>;

/** Overdue todos in one line, with a button that moves the listed ones; it has their number if there are more. */
export function overdue(
  visit: Visit,
  todos: readonly TodoItem[],
  { count, today, isOpen }: Overdue,
): Html | false {
  const which = todos.length < count && html` <span class="count">${todos.length}</span>`;
  const oldest = todos.map(({ due_date }) => due_date ?? "").toSorted()[0];
  if (oldest === undefined) return false;
  return html`<div class="overdue"><details${isOpen && html` open`}><summary><h2 class="part">${count} overdue</h2>
    <span class="quiet small">oldest ${sayDate(oldest, today.date)}</span></summary>${todoList(visit, todos, today)}
    ${todos.length < count && html`<p><a href="/account/todos?due=overdue">All ${count}</a></p>`}</details>
    <form method="post" action="${manyPath}" data-stay>${formStart(visit)}
    ${todos.map(({ id }) => html`<input type="hidden" name="todo_id" value="${id}">`)}
    <button class="plain" name="act" value="today">Move to today${which}</button></form></div>`;
}

/** The form of the boxes in the rows. It is shown while one of them is chosen. */
export function chosenForm(visit: Visit, categories: readonly CategoryRefRow[]): Html {
  const options = optionsOf([["", "As it is"], ["none", "None"], ...categoryChoices(categories)]);
  return html`<form method="post" action="${manyPath}" id="${chosenFormId}" class="chosen card" data-stay>
    ${formStart(visit)}
    <details><summary>Edit</summary><div class="fields">${field({ name: "due_date", id: "chosen-date", label: "Due date", type: "date", required: false })}
    ${selectField({ name: "category", id: "chosen-category", label: "Category", value: "", options })}
    ${selectField({ name: "is_important", id: "chosen-important", label: "Important", value: "", options: importance })}</div>
    <button name="act" value="edited">Save</button></details>
    <button class="plain" name="act" value="done">Done</button>
    <button class="plain" name="act" value="tomorrow">Tomorrow</button>
    <button class="plain" name="act" value="week">Next week</button>
    <button type="reset" class="link">Cancel</button></form>${rowActs}`;
}

/** Acts on one row. Scripts put the first line into the row that is pointed at, and open the menu over it. */
const rowActs = html`<template id="acts"><div class="acts">
    <button name="act" value="tomorrow" form="${chosenFormId}" aria-label="Move to tomorrow">${icon("sunrise")}</button>
    <button type="button" value="date" aria-label="Move to another day">${icon("calendar")}</button>
    <button type="button" value="edit" aria-label="Edit">${icon("edit")}</button>
    <button type="button" value="more" aria-label="More">${icon("more")}</button></div></template>
    <div id="row-menu" class="card menu" popover>
    <button name="act" value="today" form="${chosenFormId}" autofocus>Today</button>
    <button name="act" value="tomorrow" form="${chosenFormId}">Tomorrow</button>
    <button name="act" value="week" form="${chosenFormId}">Next week</button>
    <p><input type="date" aria-label="Another day"><button type="button" class="plain" value="move">Move</button></p>
    <button type="button" value="edit">Edit</button>
    <button type="button" value="choose">Choose several</button></div>`;

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
  const how = { idempotencyKey: formKeyOf(form), tool: name } as const;
  const [first = {}, ...others] = ids.map((id) => ({ todo_id: Number(id), ...shared }));
  const operations = [first, ...others].map((fields) => operationOf(commands[name], fields));
  const { outcome, key } =
    others.length === 0
      ? await submitLogged(visit, name, first, how)
      : await submitLogged(visit, "batch.run-as-one", { operations }, how);
  if (isRefused(outcome)) return notedRefusal(visit, form, outcome);
  const verb = Object.keys(shared).join() === "due_date" && act === "edited" ? "moved" : act;
  return seeOther(notedPage(visit, form, noteOf({ verb, key }), ""));
}

const wrongCount = invalid({ todo_id: [`Choose 1 to ${maxInAction} todos at once.`] });

/** The fields of an act; empty fields of the form stay as they are. */
function changesOf(form: URLSearchParams, act: string, today: string): Fields {
  const [due_date, category, important] = ["due_date", "category", "is_important"].map(
    (name) => form.get(name) ?? "",
  );
  if (act === "done") return { is_completed: true };
  if (act === "today") return { due_date: today };
  if (act === "tomorrow") return { due_date: addDays(today, 1) };
  if (act === "week") return { due_date: nextWeek(today) };
  return {
    ...(due_date && { due_date }),
    ...(important && { is_important: important === "yes" }),
    ...(category && { category_id: category === "none" ? null : Number(category) }),
  };
}
