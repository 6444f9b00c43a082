import {
  type PresentedReminder,
  presentTodo,
  type ShownTodoRow,
  shownOfTodo,
} from "../../../shared/db/present.ts";
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
import { readPage } from "../engine/pagination.ts";
import { columnList, sql } from "../engine/sql.ts";
import { countTodos, inOrder, type ListedTodos, todosInOrder } from "./order.ts";
import { selectTodos } from "./selection.ts";

export const readTodos: QueryHandler<"todo.list"> = async (query, input) => {
  const { category_id, ...filters } = input;
  const categories = category_id === undefined ? undefined : [category_id];
  const selection = await selectTodos(query, { ...filters, categories });
  return readPage(query, input, {
    path: "todos",
    count: countTodos(query, selection),
    rows: (extent) => todoRows(query, todosInOrder(query, selection, extent)),
    present: (rows) => presentTodos(rows, daySettingsOf(rows, query).today),
  });
};

export const readTodo: QueryHandler<"todo.get"> = async (query, { todo_id }) => {
  const todos = sql`(select * from ${query.own("todos")} t where t.id = ${todo_id}::bigint)`;
  const rows = await query.rows(todoRows(query, { todos, total: sql`1` }));
  return presentTodos(rows, daySettingsOf(rows, query).today)[0] ?? notFound("Todo");
};

export type TodoWithRelations = ShownTodoRow &
  CategoryColumns &
  DaySettingsColumns & {
    total: number;
    remind_at: string | null;
    reminder_status: PresentedReminder["status"] | null;
  };

const todoColumns = columnList("t", shownOfTodo);

/**
 * Todos of a subquery with their category, reminder and the day settings, in order. Reminders are looked up one by one:
 * by its estimate of a usual user, the planner would compare each todo with all that a user ever had.
 */
export const todoRows = (query: QueryContext, { todos, total }: ListedTodos, order = inOrder) =>
  sql<TodoWithRelations>`
  select ${todoColumns}, c.name as category_name, c.color as category_color,
    r.remind_at, r.status as reminder_status, ${daySettingsColumns}, ${total} as total
  from ${todos} t
  left join ${query.own("categories")} c on c.id = t.category_id
  left join lateral (
    select r.remind_at, r.status from ${query.own("reminders")} r where r.todo_id = t.id offset 0
  ) r on true
  ${order}`;

export const presentTodos = (rows: readonly TodoWithRelations[], viewer: Viewer) =>
  rows.map((row) => presentTodo(row, categoryOf(row), reminderOf(row), viewer));

function reminderOf({ id, remind_at, reminder_status: status }: TodoWithRelations) {
  return remind_at === null || status === null ? undefined : { todo_id: id, remind_at, status };
}
