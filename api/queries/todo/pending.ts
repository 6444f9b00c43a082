import { parseTodoCursor, todoCursor } from "../../../shared/contracts/todo/cursor.ts";
import { doneCursor, parseDoneCursor } from "../../../shared/contracts/todo/done-cursor.ts";
import { listedStatus, type PendingInput, pendingLimit } from "../../../shared/contracts/todo/filters.ts";
import { own } from "../../../shared/db/reads/own.ts";
import { sql } from "../../../shared/db/reads/sql.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import { invalid, isRefused } from "../../../shared/errors.ts";
import { categoryIdsOf, readCategoryRefs } from "../category/read.ts";
import {
  anyOf,
  daySettingsOf,
  type QueryContext,
  type QueryHandler,
  readDaySettings,
} from "../engine/context.ts";
import {
  allPending,
  conditionsOf,
  countTodos,
  newestDone,
  type Selection,
  todosDone,
  todosInOrder,
} from "./order.ts";
import { presentTodos, type TodoWithRelations, todoRows } from "./read.ts";
import { selectTodos } from "./selection.ts";

/** Pages go by keyset, so todos that come or go in between are neither repeated nor skipped. */
export const readPendingTodos: QueryHandler<"todo.pending"> = async (query, input) => {
  const { limit = pendingLimit, cursor } = input;
  const list = listedStatus(input) === "completed" ? doneList : orderedList;
  if (cursor !== undefined && !list.has(cursor)) return otherList;
  const isPlain = Object.keys(input).length === 0;
  const selection = isPlain ? allPending : await select(query, input);
  if (isRefused(selection)) return selection;
  if (input.count_by_category) return countByCategory(query, selection);
  const page = isPlain ? firstPage : list.page(selection, { limit: limit + 1, cursor });
  const rows = await query.rows(page);
  // Every row has the total, so only an empty page asks for it.
  const [counted] = rows.length > 0 || !cursor ? rows : await query.rows(countTodos(selection));
  const { today } = rows.length > 0 ? daySettingsOf(rows, query) : await readDaySettings(query);
  const shown = rows.slice(0, limit);
  const todos = presentTodos(shown, today).map((todo, index) => ({
    ...todo,
    completed_on: shown[index]?.completed_on ?? null,
  }));
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    today: today.date,
    time_zone: today.timeZone,
    todos,
    total: counted?.total ?? 0,
    next_cursor: last ? list.cursorOf(last) : null,
  };
};

const otherList = invalid({ cursor: ["The cursor field is of a list with another status."] });

async function select(query: QueryContext, input: PendingInput) {
  const { query: q, due_by: due_to, category, ...filters } = input;
  const categories = category === undefined ? undefined : await categoryIdsOf(query, category);
  if (categories !== undefined && isRefused(categories)) return categories;
  const asked = listedStatus(input);
  const status = asked === "pending" ? "incomplete" : asked;
  return selectTodos(query, { ...filters, q, due_to, categories, status });
}

type Wanted = Readonly<{ limit: number; cursor: string | undefined }>;

const orderedList = {
  has: (cursor: string) => parseTodoCursor(cursor) !== undefined,
  page: (selection: Selection, { limit, cursor }: Wanted) =>
    todoRows(todosInOrder(selection, { limit, after: cursor ? parseTodoCursor(cursor) : undefined })),
  cursorOf: todoCursor,
};

const doneList = {
  has: (cursor: string) => parseDoneCursor(cursor) !== undefined,
  page: (selection: Selection, { limit, cursor }: Wanted) =>
    todoRows(
      todosDone(selection, { limit, after: cursor ? parseDoneCursor(cursor) : undefined }),
      newestDone,
    ),
  cursorOf: ({ id, completed_on, completed_at }: TodoWithRelations) =>
    doneCursor({ id, completed_on: completed_on ?? "", completed_at: timestamp(completed_at ?? "") }),
};

/** An agent nearly always asks for all that is pending, which is one statement for everybody. */
const firstPage = todoRows(todosInOrder(allPending, { limit: pendingLimit + 1 }));

/** All categories of the user with the number of selected todos in each, then the number of those in none. */
async function countByCategory(query: QueryContext, selection: Selection) {
  const [categories, counts, { today }] = await Promise.all([
    readCategoryRefs(query),
    query.rows(todosPerCategory(selection)),
    readDaySettings(query),
  ]);
  const countOf = new Map(counts.map(({ category_id, count }) => [category_id, count]));
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const named = categories.map(({ id, name }) => ({ category: name, count: countOf.get(id) ?? 0 }));
  // Todos may still name a category that was just deleted.
  const none = named.reduce((rest, { count }) => rest - count, total);
  return {
    ...{ today: today.date, time_zone: today.timeZone, todos: [], total, next_cursor: null },
    by_category: [...named, { category: null, count: none }],
  };
}

/** The index of a list in order has the categories, too. */
const todosPerCategory = (selection: Selection) =>
  sql<{ category_id: number | null; count: number }>`
  select t.category_id, count(*) as count from ${own("todos")} t
  where ${anyOf(conditionsOf(selection))} group by t.category_id`;
