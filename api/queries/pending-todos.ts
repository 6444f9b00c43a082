import { sql } from "kysely";
import { parseTodoCursor, type TodoPlace, todoCursor } from "../../shared/contracts/todo-cursor.ts";
import { pendingLimit } from "../../shared/contracts/todo-schema.ts";
import { allOf, type Condition, daySettingsOf, type QueryHandler, readDaySettings } from "./context.ts";
import { countOf, inContext, isPending, presentTodos, todoRows } from "./todo.ts";

/** By keyset: todos that come or go between two pages never make one repeat or skip another. */
export const readPendingTodos: QueryHandler<"todo.pending"> = async (query, input) => {
  const { overdue_only, context, limit = pendingLimit, cursor } = input;
  const conditions = [isPending];
  if (overdue_only) conditions.push(sql`t.due_date < ${(await readDaySettings(query)).today.date}::date`);
  if (context !== undefined) conditions.push(inContext(context));
  const where = allOf(...conditions);
  const count = countOf(query, where);
  const place = cursor === undefined ? undefined : parseTodoCursor(cursor);
  const rows = await query.rows(
    todoRows(query, place ? allOf(where, isAfter(place)) : where, {
      total: count,
      limit: sql`limit ${sql.lit(limit + 1)}`,
    }),
  );
  const { today } = rows.length > 0 ? daySettingsOf(rows, query) : await readDaySettings(query);
  const todos = presentTodos(rows.slice(0, limit), today);
  const last = rows.length > limit ? todos.at(-1) : undefined;
  return {
    today: today.date,
    time_zone: today.timeZone,
    todos,
    total: (rows[0] ?? (await query.rows(count))[0])?.total ?? 0,
    next_cursor: last ? todoCursor(last) : null,
  };
};

/** Nulls come last: undated todos follow all dated ones, and those without a time follow all times of their day. */
function isAfter({ id, due_date, time_of_day }: TodoPlace): Condition {
  const sameTime = sql`t.time_of_day is not distinct from ${time_of_day}::time_of_day and t.id > ${id}::bigint`;
  const laterTime =
    time_of_day === null
      ? sql`false`
      : sql`t.time_of_day is null or t.time_of_day > ${time_of_day}::time_of_day`;
  const sameDay = sql`t.due_date is not distinct from ${due_date}::date and (${laterTime} or (${sameTime}))`;
  const laterDay = due_date === null ? sql`false` : sql`t.due_date is null or t.due_date > ${due_date}::date`;
  return sql`(${laterDay} or (${sameDay}))`;
}
