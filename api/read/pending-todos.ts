import { sql } from "kysely";
import { parseTodoCursor, type TodoPlace, todoCursor } from "../../shared/contracts/todo-cursor.ts";
import { clockOf, type Read } from "./reader.ts";
import { inDefaultOrder, isPending, presentTodos, todosOf } from "./todos.ts";

const defaultLimit = 25;

/** By keyset: todos that come or go between two pages never make one repeat or skip another. */
export const list: Read<"todo.pending"> = async (reader, input) => {
  const { overdue_only, context, limit = defaultLimit, cursor } = input;
  const { today } = await clockOf(reader);
  let own = todosOf(reader).where(isPending);
  if (overdue_only) own = own.where("t.due_date", "<", today.date);
  if (context !== undefined)
    own = own.where(sql<string>`lower(t.context)`, "=", sql<string>`lower(${context})`);
  const count = own.select(({ fn }) => fn.countAll<number>().as("total"));
  const place = cursor === undefined ? undefined : parseTodoCursor(cursor);
  const [rows, counted] = await Promise.all([
    inDefaultOrder(place ? own.where(isAfter(place)) : own)
      .limit(limit + 1)
      .execute(),
    count.executeTakeFirst(),
  ]);
  const todos = presentTodos(rows.slice(0, limit), today);
  const last = rows.length > limit ? todos.at(-1) : undefined;
  return {
    today: today.date,
    time_zone: today.timeZone,
    todos,
    total: counted?.total ?? 0,
    next_cursor: last ? todoCursor(last) : null,
  };
};

/** Nulls come last: an undated todo is after every dated one, one without a time after all times of its day. */
function isAfter({ id, due_date, time_of_day }: TodoPlace) {
  const sameTime = sql`t.time_of_day is not distinct from ${time_of_day}::time_of_day and t.id > ${id}::bigint`;
  const laterTime =
    time_of_day === null
      ? sql`false`
      : sql`t.time_of_day is null or t.time_of_day > ${time_of_day}::time_of_day`;
  const sameDay = sql`t.due_date is not distinct from ${due_date}::date and (${laterTime} or (${sameTime}))`;
  const laterDay = due_date === null ? sql`false` : sql`t.due_date is null or t.due_date > ${due_date}::date`;
  return sql<boolean>`(${laterDay} or (${sameDay}))`;
}
