import { sql } from "kysely";
import { parseTodoCursor, todoCursor } from "../../shared/contracts/todo-cursor.ts";
import { pendingLimit } from "../../shared/contracts/todo-schema.ts";
import { allOf, daySettingsOf, type QueryHandler, readDaySettings } from "./context.ts";
import { inContext, presentTodos, todoRows } from "./todo.ts";
import { countTodos, isPending, rangesAfter, todosInOrder } from "./todo-order.ts";

/** By keyset: todos that come or go between two pages never make one repeat or skip another. */
export const readPendingTodos: QueryHandler<"todo.pending"> = async (query, input) => {
  const { overdue_only, context, limit = pendingLimit, cursor } = input;
  const conditions = [isPending];
  if (overdue_only) conditions.push(sql`t.due_date < ${(await readDaySettings(query)).today.date}::date`);
  if (context !== undefined) conditions.push(inContext(context));
  const where = allOf(...conditions);
  const count = countTodos(query, { ranges: [where] });
  const place = cursor === undefined ? undefined : parseTodoCursor(cursor);
  const ranges = place ? rangesAfter(place).map((range) => allOf(where, range)) : [where];
  const rows = await query.rows(
    todoRows(query, todosInOrder(query, { ranges }, { limit: limit + 1 }), count),
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
