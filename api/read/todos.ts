import { sql } from "kysely";
import { type PresentedReminder, presentTodo, type Today } from "../../shared/db/present.ts";
import { notFound } from "../../shared/errors.ts";
import { categoryOf } from "./habits.ts";
import { offsetOf, pageSize, paginate, totalOf } from "./pagination.ts";
import { clockOf, type Read, type Reader } from "./reader.ts";

export const list: Read<"todo.list"> = async (reader, { page = 1, ...filters }) => {
  const { today } = await clockOf(reader);
  const { status = "incomplete", due, context, time_of_day } = filters;
  let own = todosOf(reader);
  if (status === "incomplete") own = own.where(isPending);
  if (status === "completed") own = own.where("t.is_completed", "=", sql<boolean>`true`);
  if (due === "today") own = own.where("t.due_date", "=", today.date);
  if (due === "overdue") own = own.where(isPending).where("t.due_date", "<", today.date);
  if (due === "upcoming") own = own.where("t.due_date", ">", today.date);
  if (context !== undefined)
    own = own.where(sql<string>`lower(t.context)`, "=", sql<string>`lower(${context})`);
  if (time_of_day !== undefined) own = own.where("t.time_of_day", "=", time_of_day);
  const count = own.select(({ fn }) => fn.countAll<number>().as("total"));
  const rows = await inDefaultOrder(own)
    .select(count.as("total"))
    .limit(pageSize)
    .offset(offsetOf(page))
    .execute();
  const total = await totalOf(rows, page, count);
  return paginate(presentTodos(rows, today), total, { url: `${reader.baseUrl}/api/v1/todos`, filters, page });
};

export const get: Read<"todo.get"> = async (reader, { todo_id }) => {
  const { today } = await clockOf(reader);
  const rows = await inDefaultOrder(todosOf(reader).where("t.id", "=", todo_id)).execute();
  return presentTodos(rows, today)[0] ?? notFound("Todo");
};

export function todosOf({ db, userId }: Reader) {
  return db.selectFrom("todos as t").where("t.user_id", "=", userId);
}

type TodosQuery = ReturnType<typeof todosOf>;

/** A literal, not a parameter: only then is the partial index of pending todos used. */
export const isPending = sql<boolean>`not t.is_completed`;

/** Due first, undated last; then morning, afternoon, evening, none (the enum's order); then id: a total order. */
export function inDefaultOrder(query: TodosQuery) {
  return query
    .leftJoin("categories as c", (join) =>
      join.onRef("c.user_id", "=", "t.user_id").onRef("c.id", "=", "t.category_id"),
    )
    .leftJoin("reminders as r", (join) =>
      join.onRef("r.user_id", "=", "t.user_id").onRef("r.todo_id", "=", "t.id"),
    )
    .selectAll("t")
    .select(["c.name as category_name", "c.color as category_color"])
    .select(["r.remind_at", "r.status as reminder_status"])
    .orderBy("t.due_date")
    .orderBy("t.time_of_day")
    .orderBy("t.id");
}

type TodoWithRelations = Awaited<ReturnType<ReturnType<typeof inDefaultOrder>["execute"]>>[number];

export const presentTodos = (rows: readonly TodoWithRelations[], today: Today) =>
  rows.map((row) => presentTodo(row, categoryOf(row), reminderOf(row), today));

function reminderOf({
  id,
  remind_at,
  reminder_status: status,
}: TodoWithRelations): PresentedReminder | undefined {
  return remind_at === null || status === null ? undefined : { todo_id: id, remind_at, status };
}
