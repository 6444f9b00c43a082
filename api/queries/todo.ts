import { sql } from "kysely";
import type { InputOf, Queries } from "../../shared/contracts/catalogue.ts";
import type { TodoRow } from "../../shared/db/entities.ts";
import { type PresentedReminder, presentTodo } from "../../shared/db/present.ts";
import type { Today } from "../../shared/domain/today.ts";
import type { TimeOfDay } from "../../shared/domain/vocabulary.ts";
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
import { readPage } from "./pagination.ts";
import { countTodos, inOrder, isCompleted, isPending, type Selection, todosInOrder } from "./todo-order.ts";

export const readTodos: QueryHandler<"todo.list"> = async (query, input) => {
  const selection = await select(query, input);
  return readPage(query, input, {
    path: "todos",
    count: countTodos(query, selection),
    rows: ({ total, ...extent }) => todoRows(query, todosInOrder(query, selection, extent), total),
    present: (rows) => presentTodos(rows, daySettingsOf(rows, query).today),
  });
};

const ofStatus = {
  incomplete: [isPending],
  completed: [isCompleted],
  all: [isPending, isCompleted],
} satisfies Record<string, Condition[]>;

async function select(query: QueryContext, filters: InputOf<Queries["todo.list"]>): Promise<Selection> {
  const { status = "incomplete", due, context, time_of_day } = filters;
  const conditions: Condition[] = [];
  if (due !== undefined) {
    const { date } = (await readDaySettings(query)).today;
    if (due === "today") conditions.push(sql`t.due_date = ${date}::date`);
    if (due === "overdue") conditions.push(isPending, sql`t.due_date < ${date}::date`);
    if (due === "upcoming") conditions.push(sql`t.due_date > ${date}::date`);
  }
  if (context !== undefined) conditions.push(inContext(context));
  const ranges = ofStatus[status].map((range) => allOf(range, ...conditions));
  return { ranges, filter: time_of_day && atTime(time_of_day) };
}

/** No "=", for which the planner would leap through the index from day to day, and take that for dearer than a scan. */
const atTime = (time: TimeOfDay): Condition => sql`t.time_of_day is not distinct from ${time}::time_of_day`;

export const readTodo: QueryHandler<"todo.get"> = async (query, { todo_id }) => {
  const todo = sql`(select * from ${query.own("todos")} t where t.id = ${todo_id}::bigint)`;
  const rows = await query.rows(todoRows(query, todo));
  return presentTodos(rows, daySettingsOf(rows, query).today)[0] ?? notFound("Todo");
};

/** Equal up to case, by an index of its own. */
export const inContext = (context: string): Condition => sql`lower(t.context) = lower(${context})`;

export type TodoWithRelations = TodoRow &
  CategoryColumns &
  DaySettingsColumns & {
    total: number;
    remind_at: string | null;
    reminder_status: PresentedReminder["status"] | null;
  };

/**
 * Todos of a subquery with their category, reminder and the day settings, in order. Reminders are looked up one by one:
 * by its estimate of a usual user, the planner would compare each todo with all that a user ever had.
 */
export const todoRows = (query: QueryContext, todos: Condition, total: Condition = sql`0`) =>
  sql<TodoWithRelations>`
  select t.*, c.name as category_name, c.color as category_color,
    r.remind_at, r.status as reminder_status, ${daySettingsColumns(query)}, (${total}) as total
  from ${todos} t
  left join ${query.own("categories")} c on c.id = t.category_id
  left join lateral (
    select r.remind_at, r.status from ${query.own("reminders")} r where r.todo_id = t.id offset 0
  ) r on true
  ${inOrder}`;

export const presentTodos = (rows: readonly TodoWithRelations[], today: Today) =>
  rows.map((row) => presentTodo(row, categoryOf(row), reminderOf(row), today));

function reminderOf({ id, remind_at, reminder_status: status }: TodoWithRelations) {
  return remind_at === null || status === null ? undefined : { todo_id: id, remind_at, status };
}
