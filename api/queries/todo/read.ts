import type { InputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import {
  type PresentedReminder,
  presentTodo,
  type ShownTodoRow,
  shownOfTodo,
} from "../../../shared/db/present.ts";
import { own } from "../../../shared/db/reads/own.ts";
import { columnList, sql } from "../../../shared/db/reads/sql.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import { notFound } from "../../../shared/errors.ts";
import { type CategoryColumns, categoryOf } from "../category/read.ts";
import {
  type DaySettingsColumns,
  daySettingsColumns,
  daySettingsOf,
  type QueryContext,
  type QueryHandler,
} from "../engine/context.ts";
import { type Extent, pageSize, readPage } from "../engine/pagination.ts";
import {
  allPending,
  countTodos,
  inOrder,
  type ListedTodos,
  newestDone,
  todosDone,
  todosInOrder,
} from "./order.ts";
import { selectTodos } from "./selection.ts";

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
