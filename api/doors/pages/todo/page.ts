import type { Today } from "../../../../shared/domain/day/day.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { readCategoryRefs } from "../../../queries/category/read.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import { orStopped } from "../../../queries/engine/search.ts";
import { dueGroupOf, dueGroups } from "../../../queries/todo/due-groups.ts";
import { readTodoCounts } from "../../../queries/todo/groups.ts";
import { readTodoPage, type TodoFilters, todosPerPage } from "../../../queries/todo/overview.ts";
import { firstWeekday } from "../../../web/locale.ts";
import { countInWords } from "../kit/dates.ts";
import { categoryChoices, chosenFilters, isWhole, withoutPage } from "../kit/filter-fields.ts";
import { pager } from "../kit/pager.ts";
import { groupNames, type TodoItem, todoList } from "../kit/todo-item.ts";
import { liveMark, liveScripts } from "../live/live-mark.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { accountPage } from "../session/frame.ts";
import { reminderWarning } from "../session/reminder-warning.ts";
import { readTodoFilters, todoFilterForm, todoFilterNames } from "./filters.ts";
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
