import { sql } from "kysely";
import type { InputOf, Queries } from "../../shared/contracts/catalogue.ts";
import type { TodoRow } from "../../shared/db/entities.ts";
import { type PresentedReminder, presentTodo } from "../../shared/db/present.ts";
import type { Today } from "../../shared/domain/today.ts";
import { notFound } from "../../shared/errors.ts";
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
import { type CategoryColumns, categoryOf } from "./habit.ts";
import { type Extent, pageOf, paginate, totalOf } from "./pagination.ts";

export const list: QueryHandler<"todo.list"> = async (query, { page = 1, ...filters }) => {
  const mine = allOf(todosOf(query), ...(await filtering(query, filters)));
  const rows = await selectTodos(query, mine, { total: countOf(mine), limit: pageOf(page) });
  const total = await totalOf(rows, page, () => countTodos(query, mine));
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
  const rows = await selectTodos(query, allOf(todosOf(query), sql`t.id = ${todo_id}::bigint`));
  return presentTodos(rows, daySettingsOf(rows, query).today)[0] ?? notFound("Todo");
};

export const todosOf = ({ userId }: QueryContext): Condition => sql`t.user_id = ${userId}`;

/** A literal, not a parameter: only then is the partial index of pending todos used. */
export const isPending: Condition = sql`not t.is_completed`;

export const inContext = (context: string): Condition => sql`lower(t.context) = lower(${context})`;

export type TodoBesideRelations = TodoRow &
  CategoryColumns &
  DaySettingsColumns & {
    total: number;
    remind_at: string | null;
    reminder_status: PresentedReminder["status"] | null;
  };

export const countOf = (condition: Condition) =>
  sql<{ total: number }>`select count(*) as total from todos t where ${condition}`;

/**
 * Todos with what is shown beside them. Due first, undated last; then morning, afternoon, evening, none (the
 * enum's order); then id: a total order. Plain SQL: the query builder took a fifth of a list's time.
 */
export const todoRows = (
  query: QueryContext,
  condition: Condition,
  { total = sql`0`, limit = sql`` }: Extent = {},
) => sql<TodoBesideRelations>`
  select t.*, c.name as category_name, c.color as category_color,
    r.remind_at, r.status as reminder_status, ${daySettingsColumns(query)}, (${total}) as total
  from todos t
  left join categories c on c.user_id = t.user_id and c.id = t.category_id
  left join reminders r on r.user_id = t.user_id and r.todo_id = t.id
  where ${condition}
  order by t.due_date, t.time_of_day, t.id ${limit}`;

export async function selectTodos(query: QueryContext, condition: Condition, extent?: Extent) {
  const { rows } = await todoRows(query, condition, extent).execute(query.db);
  return rows;
}

export async function countTodos({ db }: QueryContext, condition: Condition): Promise<number> {
  const { rows } = await countOf(condition).execute(db);
  return rows[0]?.total ?? 0;
}

export const presentTodos = (rows: readonly TodoBesideRelations[], today: Today) =>
  rows.map((row) => presentTodo(row, categoryOf(row), reminderOf(row), today));

function reminderOf({ id, remind_at, reminder_status: status }: TodoBesideRelations) {
  return remind_at === null || status === null ? undefined : { todo_id: id, remind_at, status };
}
