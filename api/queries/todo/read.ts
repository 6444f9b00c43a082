import type { InputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import {
  doneCursor,
  listedStatus,
  type PendingInput,
  parseDoneCursor,
  parseTodoCursor,
  pendingLimit,
  todoCursor,
} from "../../../shared/contracts/todo/filters.ts";
import {
  type PresentedReminder,
  presentTodo,
  type ShownTodoRow,
  shownOfTodo,
} from "../../../shared/db/present.ts";
import { own } from "../../../shared/db/reads/own.ts";
import { columnList, sql } from "../../../shared/db/reads/sql.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import { invalid, isRefused, notFound } from "../../../shared/errors.ts";
import { type CategoryColumns, categoryIdsOf, categoryOf, readCategoryRefs } from "../category/read.ts";
import {
  anyOf,
  type DaySettingsColumns,
  daySettingsColumns,
  daySettingsOf,
  type QueryContext,
  type QueryHandler,
  readDaySettings,
} from "../engine/context.ts";
import { type Extent, pageSize, readPage } from "../engine/pagination.ts";
import {
  allPending,
  conditionsOf,
  countTodos,
  inOrder,
  type ListedTodos,
  newestDone,
  type Selection,
  selectTodos,
  todosDone,
  todosInOrder,
} from "./order.ts";

export const readTodos: QueryHandler<"todo.list"> = async (query, input) => {
  const { page, ...filters } = input;
  const isPlain = Object.keys(filters).length === 0;
  return readPage(query, input, {
    ...(isPlain ? plainList : await listOf(query, filters)),
    path: "todos",
    present: (rows) => presentTodos(rows, daySettingsOf(rows, query).today),
  });
};

type ListInput = Omit<InputOf<Queries["todo.list"]>, "page">;

async function listOf(query: QueryContext, { category_id, ...filters }: ListInput) {
  const categories = category_id === undefined ? undefined : [category_id];
  const selection = await selectTodos(query, { ...filters, categories });
  return {
    count: countTodos(selection),
    rows: (extent: Extent) =>
      filters.done_since === undefined
        ? todoRows(todosInOrder(selection, extent))
        : todoRows(todosDone(selection, extent), newestDone),
  };
}

export const readTodo: QueryHandler<"todo.get"> = async (query, { todo_id }) => {
  const todos = sql`(select * from ${own("todos")} t where t.id = ${todo_id}::bigint)`;
  const rows = await query.rows(todoRows({ todos, total: sql`1` }));
  return presentTodos(rows, daySettingsOf(rows, query).today)[0] ?? notFound("Todo");
};

export type TodoWithRelations = ShownTodoRow &
  CategoryColumns &
  DaySettingsColumns & {
    total: number;
    completed_on: string | null;
    remind_at: string | null;
    reminder_status: PresentedReminder["status"] | null;
  };

const todoColumns = columnList("t", shownOfTodo);

/**
 * Todos of a subquery with their category, reminder and the day settings, in order. Reminders are looked up one by
 * one: for a usual user the planner would compare each todo with all reminders that the user ever had.
 */
export const todoRows = ({ todos, total }: ListedTodos, order = inOrder) =>
  sql<TodoWithRelations>`
  select ${todoColumns}, t.completed_on, c.name as category_name, c.color as category_color,
    r.remind_at, r.status as reminder_status, ${daySettingsColumns}, ${total} as total
  from ${todos} t
  left join ${own("categories")} c on c.id = t.category_id
  left join lateral (
    select r.remind_at, r.status from ${own("reminders")} r where r.todo_id = t.id offset 0
  ) r on true
  ${order}`;

export const presentTodos = (rows: readonly TodoWithRelations[], viewer: Viewer) =>
  rows.map((row) => presentTodo(row, categoryOf(row), reminderOf(row), viewer));

function reminderOf({ id, remind_at, reminder_status: status }: TodoWithRelations) {
  return remind_at === null || status === null ? undefined : { todo_id: id, remind_at, status };
}

/** Nearly every list is that of all pending todos, and its first page is one statement for everybody. */
const firstPage = todoRows(todosInOrder(allPending, { limit: pageSize }));
const plainList = {
  count: countTodos(allPending),
  rows: (extent: Extent) => (extent.offset ? todoRows(todosInOrder(allPending, extent)) : firstPage),
};

/** Pages go by keyset, so todos that come or go in between are neither repeated nor skipped. */
export const readPendingTodos: QueryHandler<"todo.pending"> = async (query, input) => {
  const { limit = pendingLimit, cursor } = input;
  const list = listedStatus(input) === "completed" ? doneList : orderedList;
  if (cursor !== undefined && !list.has(cursor)) return otherList;
  const isPlain = Object.keys(input).length === 0;
  const selection = isPlain ? allPending : await select(query, input);
  if (isRefused(selection)) return selection;
  if (input.count_by_category) return countByCategory(query, selection);
  const page = isPlain ? firstOfAll : list.page(selection, { limit: limit + 1, cursor });
  const rows = await query.rows(page);
  // Every row has the total, so only an empty page asks for it.
  const [counted] = rows.length > 0 || !cursor ? rows : await query.rows(countTodos(selection));
  const { today } = rows.length > 0 ? daySettingsOf(rows, query) : await readDaySettings(query);
  const shown = rows.slice(0, limit);
  const todos = presentTodos(shown, today).map((todo, index) => ({
    ...todo,
    completed_on: shown[index]?.completed_on ?? null,
  }));
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    today: today.date,
    time_zone: today.timeZone,
    todos,
    total: counted?.total ?? 0,
    next_cursor: last ? list.cursorOf(last) : null,
  };
};

const otherList = invalid({ cursor: ["The cursor field is of a list with another status."] });

async function select(query: QueryContext, input: PendingInput) {
  const { query: q, due_on, due_by: due_to = due_on, category, ...filters } = input;
  const categories = category === undefined ? undefined : await categoryIdsOf(query, category);
  if (categories !== undefined && isRefused(categories)) return categories;
  const asked = listedStatus(input);
  const status = asked === "pending" ? "incomplete" : asked;
  return selectTodos(query, { ...filters, q, due_from: due_on, due_to, categories, status });
}

type Wanted = Readonly<{ limit: number; cursor: string | undefined }>;

const orderedList = {
  has: (cursor: string) => parseTodoCursor(cursor) !== undefined,
  page: (selection: Selection, { limit, cursor }: Wanted) =>
    todoRows(todosInOrder(selection, { limit, after: cursor ? parseTodoCursor(cursor) : undefined })),
  cursorOf: todoCursor,
};

const doneList = {
  has: (cursor: string) => parseDoneCursor(cursor) !== undefined,
  page: (selection: Selection, { limit, cursor }: Wanted) =>
    todoRows(
      todosDone(selection, { limit, after: cursor ? parseDoneCursor(cursor) : undefined }),
      newestDone,
    ),
  cursorOf: ({ id, completed_on, completed_at }: TodoWithRelations) =>
    doneCursor({ id, completed_on: completed_on ?? "", completed_at: timestamp(completed_at ?? "") }),
};

/** An agent nearly always asks for all that is pending, which is one statement for everybody. */
const firstOfAll = todoRows(todosInOrder(allPending, { limit: pendingLimit + 1 }));

/** All categories of the user with the number of selected todos in each, then the number of those in none. */
async function countByCategory(query: QueryContext, selection: Selection) {
  const [categories, counts, { today }] = await Promise.all([
    readCategoryRefs(query),
    query.rows(todosPerCategory(selection)),
    readDaySettings(query),
  ]);
  const countOf = new Map(counts.map(({ category_id, count }) => [category_id, count]));
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const named = categories.map(({ id, name }) => ({ category: name, count: countOf.get(id) ?? 0 }));
  // Todos may still name a category that was just deleted.
  const none = named.reduce((rest, { count }) => rest - count, total);
  return {
    ...{ today: today.date, time_zone: today.timeZone, todos: [], total, next_cursor: null },
    by_category: [...named, { category: null, count: none }],
  };
}

/** The index of a list in order has the categories, too. */
const todosPerCategory = (selection: Selection) =>
  sql<{ category_id: number | null; count: number }>`
  select t.category_id, count(*) as count from ${own("todos")} t
  where ${anyOf(conditionsOf(selection))} group by t.category_id`;
