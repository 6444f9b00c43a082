import { parseTodoCursor, todoCursor } from "../../../shared/contracts/todo/cursor.ts";
import { pendingLimit } from "../../../shared/contracts/todo/schema.ts";
import { isRefused } from "../../../shared/errors.ts";
import { categoryIdsOf } from "../category/read.ts";
import { daySettingsOf, type QueryHandler, readDaySettings } from "../engine/context.ts";
import { countTodos, todosInOrder } from "./order.ts";
import { presentTodos, todoRows } from "./read.ts";
import { selectTodos } from "./selection.ts";

/** The pages go by keyset: todos that come or go between two pages never repeat or skip one. */
export const readPendingTodos: QueryHandler<"todo.pending"> = async (query, input) => {
  const { query: q, due, overdue_only, context, category, limit = pendingLimit, cursor } = input;
  const categories = category === undefined ? undefined : await categoryIdsOf(query, category);
  if (categories !== undefined && isRefused(categories)) return categories;
  const selection = await selectTodos(query, { q, due, overdue_only, context, categories });
  const after = cursor === undefined ? undefined : parseTodoCursor(cursor);
  const rows = await query.rows(todoRows(query, todosInOrder(query, selection, { limit: limit + 1, after })));
  // Every row has the total, so only a page after the last todo has to ask for it.
  const [counted] = rows.length > 0 || !after ? rows : await query.rows(countTodos(query, selection));
  const { today } = rows.length > 0 ? daySettingsOf(rows, query) : await readDaySettings(query);
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
