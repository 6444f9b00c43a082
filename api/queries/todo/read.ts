import { type Expression, expressionBuilder, sql } from "kysely";
import {
  doneCursor,
  listedStatus,
  type PendingInput,
  pendingLimit,
  todoCursor,
} from "../../../shared/contracts/todo/filters.ts";
import { presentTodo, shownOfTodo } from "../../../shared/db/present.ts";
import { type Found, own, type RowOf, selectFrom, statements } from "../../../shared/db/reads/statement.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import { invalid, isRefused, notFound, type Refused } from "../../../shared/errors.ts";
import { categoryIdsOf, categoryOf, readCategoryRefs } from "../category/read.ts";
import {
  daySettings,
  daySettingsOf,
  type QueryContext,
  type QueryHandler,
  readDaySettings,
} from "../engine/context.ts";
import { countOf, type Extent, readPage } from "../engine/pagination.ts";
import {
  afterDone,
  afterTodo,
  allPending,
  byDueDate,
  conditionsOf,
  type ListedTodos,
  type ListInput,
  listedTodos,
  type Selection,
  selectTodos,
  type TodoPart,
  todoOrders,
  todoValues,
} from "./order.ts";

const { ref } = expressionBuilder<{ t: RowOf<"todos"> }, "t">();

/**
 * Todos of a subquery with their category, reminder and the day settings, in order. Reminders are looked up one by
 * one: for a usual user the planner would compare each todo with all reminders that the user ever had.
 */
export const todoRows = (
  todos: ListedTodos["todos"],
  total: Expression<number> = sql.lit(0),
  order = byDueDate,
) =>
  selectFrom(todos.as("t"))
    .leftJoin(own("categories").as("c"), "c.id", "t.category_id")
    .leftJoinLateral(
      selectFrom(own("reminders").as("r"))
        .select(["r.remind_at", "r.status"])
        .where("r.todo_id", "=", ref("t.id"))
        .offset(sql.lit(0))
        .as("r"),
      (join) => join.onTrue(),
    )
    .select(shownOfTodo.map((column) => `t.${column}` as const))
    .select(["t.completed_on", "c.name as category_name", "c.color as category_color"])
    .select(["r.remind_at", "r.status as reminder_status"])
    .select(daySettings)
    .select(sql<number>`(${total})`.as("total"))
    .orderBy(order);

const todoPage = statements(todoValues, (_, part: TodoPart) => {
  const { todos, total } = listedTodos(part);
  return todoRows(todos, total, todoOrders[part.order]);
});

export type TodoWithRelations = Found<typeof todoPage>;

const todosById = statements(todoValues, (value, which: "one" | "listed") =>
  todoRows(
    selectFrom(own("todos").as("t"))
      .selectAll("t")
      .where((eb) => eb("t.id", "=", which === "one" ? value("todo_id") : eb.fn.any(value("ids")))),
  ),
);

export const readTodos: QueryHandler<"todo.list"> = async (query, input) => {
  const { page: _, ...filters } = input;
  const rows = isPlain(filters) ? plainParts : partsOfTodos(await selectListed(query, filters));
  const present = (found: readonly TodoWithRelations[]) =>
    presentTodos(found, daySettingsOf(found, query).today);
  return readPage(query, input, { path: "todos", rows, present });
};

export const partsOfTodos =
  ({ wanted, values, order }: Omit<Selection, "order"> & Pick<TodoPart, "order">) =>
  (extent: Extent, offset: number) =>
    todoPage({ wanted, order, ...extent }, { ...values, offset });
const plainParts = partsOfTodos(allPending);

/** Nearly every list is that of all pending todos. */
const isPlain = (filters: object): boolean => Object.keys(filters).length === 0;

const selectListed = (query: QueryContext, { category_id, ...filters }: ListInput) =>
  selectTodos(query, { ...filters, categories: category_id === undefined ? undefined : [category_id] });

export const readTodo: QueryHandler<"todo.get", Refused> = async (query, { todo_id }) => {
  const rows = await query.rows(todosById("one", { todo_id }));
  return presentTodos(rows, daySettingsOf(rows, query).today)[0] ?? notFound("Todo");
};

export const presentTodos = (rows: readonly TodoWithRelations[], viewer: Viewer) =>
  rows.map((row) => presentTodo(row, categoryOf(row), reminderOf(row), viewer));

function reminderOf({ id, remind_at, reminder_status: status }: TodoWithRelations) {
  return remind_at === null || status === null ? undefined : { todo_id: id, remind_at, status };
}

/** Pages go by keyset, so todos that come or go in between are neither repeated nor skipped. */
export const readPendingTodos: QueryHandler<"todo.pending", Refused> = async (query, input) => {
  const { limit = pendingLimit, cursor } = input;
  const list = listedStatus(input) === "completed" ? doneList : orderedList;
  const place = cursor === undefined ? undefined : list.after(cursor);
  if (cursor !== undefined && !place) return otherList;
  const selection = isPlain(input) ? allPending : await select(query, input);
  if (isRefused(selection)) return selection;
  if (input.count_by_category) return countByCategory(query, selection);
  const { wanted, values } = selection;
  const part = { wanted, order: list.order, limit: limit + 1 };
  const rows = await query.rows(todoPage({ ...part, after: place?.after }, { ...values, ...place?.values }));
  // Every row has the total, so only an empty page asks the first one for it.
  const [counted] = rows.length > 0 || !place ? rows : await query.rows(todoPage(part, values));
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
  const { query: q, due_on, due_by: due_to = due_on, category, ...filters } = input;
  const categories = category === undefined ? undefined : await categoryIdsOf(query, category);
  if (categories !== undefined && isRefused(categories)) return categories;
  const asked = listedStatus(input);
  const status = asked === "pending" ? "incomplete" : asked;
  return selectTodos(query, { ...filters, q, due_from: due_on, due_to, categories, status });
}

const orderedList = { order: "due" as const, after: afterTodo, cursorOf: todoCursor };

const doneList = {
  order: "done" as const,
  after: afterDone,
  cursorOf: ({ id, completed_on, completed_at }: TodoWithRelations) =>
    doneCursor({ id, completed_on: completed_on ?? "", completed_at: timestamp(completed_at ?? "") }),
};

/** The index of a list in order has the categories, too. */
const todosPerCategory = statements(todoValues, (_, wanted: Selection["wanted"]) =>
  selectFrom(own("todos").as("t"))
    .select(["t.category_id", countOf.as("count")])
    .where((eb) => eb.or(conditionsOf(wanted)))
    .groupBy("t.category_id"),
);

/** All categories of the user with the number of selected todos in each, then the number of those in none. */
async function countByCategory(query: QueryContext, selection: Selection) {
  const [categories, counts, { today }] = await Promise.all([
    readCategoryRefs(query),
    query.rows(todosPerCategory(selection.wanted, selection.values)),
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
