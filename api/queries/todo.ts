import { sql } from "kysely";
import type { InputOf, Queries } from "../../shared/contracts/catalogue.ts";
import type { TodoRow } from "../../shared/db/entities.ts";
import { type PresentedReminder, presentTodo } from "../../shared/db/present.ts";
import type { Today } from "../../shared/domain/today.ts";
import { notFound } from "../../shared/errors.ts";
import { type CategoryColumns, categoryOf } from "./category.ts";
import {
  allOf,
  type Condition,
  type DaySettingsColumns,
  daySettingsColumns,
  daySettingsOf,
  type QueryContext,
  type QueryHandler,
  readDaySettings,
} from "./context.ts";
import { type Extent, limitClause, paginate, totalOf } from "./pagination.ts";

export const list: QueryHandler<"todo.list"> = async (query, { page = 1, ...filters }) => {
  const where = allOf(...(await filtering(query, filters)));
  const count = countOf(query, where);
  const rows = await query.rows(todoRows(query, where, { total: count, limit: limitClause(page) }));
  const total = await totalOf(rows, page, () => query.rows(count));
  const todos = presentTodos(rows, daySettingsOf(rows, query).today);
  return paginate(todos, total, { url: `${query.baseUrl}/api/v1/todos`, filters, page });
};

async function filtering(query: QueryContext, filters: InputOf<Queries["todo.list"]>): Promise<Condition[]> {
  const { status = "incomplete", due, context, time_of_day } = filters;
  const conditions: Condition[] = [];
  if (status === "incomplete") conditions.push(isPending);
  if (status === "completed") conditions.push(sql`t.is_completed`);
  if (due !== undefined) {
    const { date } = (await readDaySettings(query)).today;
    if (due === "today") conditions.push(sql`t.due_date = ${date}::date`);
    if (due === "overdue") conditions.push(isPending, sql`t.due_date < ${date}::date`);
    if (due === "upcoming") conditions.push(sql`t.due_date > ${date}::date`);
  }
  if (context !== undefined) conditions.push(inContext(context));
  if (time_of_day !== undefined) conditions.push(sql`t.time_of_day = ${time_of_day}::time_of_day`);
  return conditions;
}

export const get: QueryHandler<"todo.get"> = async (query, { todo_id }) => {
  const rows = await query.rows(todoRows(query, sql`t.id = ${todo_id}::bigint`));
  return presentTodos(rows, daySettingsOf(rows, query).today)[0] ?? notFound("Todo");
};

/** Written out, without a parameter, because only then can the partial index of pending todos be used. */
export const isPending: Condition = sql`not t.is_completed`;

export const inContext = (context: string): Condition => sql`lower(t.context) = lower(${context})`;

export type TodoWithRelations = TodoRow &
  CategoryColumns &
  DaySettingsColumns & {
    total: number;
    remind_at: string | null;
    reminder_status: PresentedReminder["status"] | null;
  };

export const countOf = ({ own }: QueryContext, where: Condition) =>
  sql<{ total: number }>`select count(*) as total from ${own("todos")} t where ${where}`;

/**
 * Todos with their category, reminder and the day settings. The order is total: by due date with undated ones
 * last, then by time of day (the enum's order, none last), then by id. A query builder took a fifth of a list's time.
 */
export const todoRows = (
  query: QueryContext,
  where: Condition,
  { total = sql`0`, limit = sql`` }: Extent = {},
) => sql<TodoWithRelations>`
  select t.*, c.name as category_name, c.color as category_color,
    r.remind_at, r.status as reminder_status, ${daySettingsColumns(query)}, (${total}) as total
  from ${query.own("todos")} t
  left join ${query.own("categories")} c on c.id = t.category_id
  left join ${query.own("reminders")} r on r.todo_id = t.id
  where ${where}
  order by t.due_date, t.time_of_day, t.id ${limit}`;

export const presentTodos = (rows: readonly TodoWithRelations[], today: Today) =>
  rows.map((row) => presentTodo(row, categoryOf(row), reminderOf(row), today));

function reminderOf({ id, remind_at, reminder_status: status }: TodoWithRelations) {
  return remind_at === null || status === null ? undefined : { todo_id: id, remind_at, status };
}
