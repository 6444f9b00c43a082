import type { Static } from "typebox";
import type { Todo } from "../../../shared/contracts/todo/fields.ts";
import { join, literal, sql } from "../../../shared/db/reads/sql.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import { allOf, type Condition, type QueryContext } from "../engine/context.ts";
import type { Extent } from "../engine/pagination.ts";
import { firstOfWeek } from "../habit/week.ts";
import {
  always,
  countTodos,
  inOrder,
  isAheadWithin,
  isCompleted,
  isOverdueWithin,
  isPending,
  newestDone,
  type Selection,
  selectTodos,
  todoOrders,
  todosDone,
  todosInOrder,
  todosSorted,
} from "./order.ts";
import { presentTodos, type TodoWithRelations, todoRows } from "./read.ts";

/** Groups in the order of their due dates; each todo is in exactly one. */
export const dueGroups = ["overdue", "today", "tomorrow", "week", "later", "undated"] as const;
export type DueGroup = (typeof dueGroups)[number];

/** The first and the last due date of a group. It is empty when the last one comes before the first. */
type DueDates = Readonly<{ from: string; to: string }>;

/**
 * The due dates of a group; `-infinity` and `infinity` mean no end, undefined means todos without a date. The week
 * group starts after tomorrow and ends with the week, whose first day is `firstWeekday` (1 is Monday).
 */
export function dueDatesOf(group: DueGroup, today: string, firstWeekday: number): DueDates | undefined {
  const tomorrow = addDays(today, 1);
  const end = addDays(firstOfWeek(today, firstWeekday), 6);
  const lastOfWeek = end < tomorrow ? tomorrow : end;
  if (group === "overdue") return { from: "-infinity", to: addDays(today, -1) };
  if (group === "today") return { from: today, to: today };
  if (group === "tomorrow") return { from: tomorrow, to: tomorrow };
  if (group === "week") return { from: addDays(tomorrow, 1), to: lastOfWeek };
  if (group === "later") return { from: addDays(lastOfWeek, 1), to: "infinity" };
  return undefined;
}

/** The group of a pending todo. One with a due time is overdue before its day is over. */
export function dueGroupOf(
  { due_date, is_overdue }: Readonly<{ due_date: string | null; is_overdue: boolean }>,
  today: string,
  firstWeekday: number,
): DueGroup {
  if (is_overdue) return "overdue";
  const holds = (group: DueGroup): boolean => {
    const dates = dueDatesOf(group, today, firstWeekday);
    if (!dates || due_date === null) return !dates && due_date === null;
    // In text order, "-infinity" comes before all dates and "infinity" after them.
    return dates.from <= due_date && due_date <= dates.to;
  };
  return dueGroups.find(holds) ?? "undated";
}

/** Matches pending todos of a group. */
function isInGroup(group: DueGroup, today: Viewer, firstWeekday: number): Condition {
  const dates = dueDatesOf(group, today.date, firstWeekday);
  if (!dates) return sql`t.due_date is null`;
  return group === "overdue" ? isOverdueWithin(always, today) : isAheadWithin(dates, today);
}

/** The number of pending todos in each group, and of those that are done. */
export type TodoCounts = Readonly<Record<DueGroup | "done", number>>;

/** The count reads only index entries. */
export async function readTodoCounts(
  { own, rows }: QueryContext,
  today: Viewer,
  firstWeekday: number,
): Promise<TodoCounts> {
  const count = (where: Condition) => sql`(select count(*) from ${own("todos")} t where ${where})`;
  const pending = dueGroups.map(
    (group) => sql`${literal(group)}, ${count(allOf(isPending, isInGroup(group, today, firstWeekday)))}`,
  );
  const [row] = await rows(sql<{ counts: TodoCounts }>`
    select json_build_object(${join(pending)}, 'done', ${count(isCompleted)}) as counts`);
  if (!row) throw new Error("The statement that counts todos gave no row.");
  return row.counts;
}

/** The first pending todos of each group, at most `limit` of it, in the default order. */
export async function readTodoGroups(
  query: QueryContext,
  today: Viewer,
  { limit, firstWeekday }: Readonly<{ limit(group: DueGroup): number; firstWeekday: number }>,
): Promise<readonly Static<typeof Todo>[]> {
  const parts = dueGroups.map((group) => {
    const ranges = [allOf(isPending, isInGroup(group, today, firstWeekday))];
    const { todos } = todosInOrder({ ranges }, { limit: limit(group) });
    return sql`(select * from (${todoRows({ todos, total: sql`0` })}) part)`;
  });
  const rows = await query.rows(sql<TodoWithRelations>`
    select * from (${join(parts, " union all ")}) t ${inOrder}`);
  return presentTodos(rows, today);
}

type TodoItem = Static<typeof Todo>;

export const todosPerPage = 100;

export type TodoFilters = Readonly<{
  q?: string | undefined;
  context?: string | undefined;
  categoryId?: number | undefined;
  /** Only pending todos of this group. */
  group?: Readonly<{ name: DueGroup; firstWeekday: number }> | undefined;
  /** Without it, both are shown. */
  status?: "incomplete" | "completed" | undefined;
  /** Without it, pending todos are in the default order. */
  sort?: keyof typeof todoOrders | undefined;
}>;

/** A part of a list, and the number of all that are in the list. */
type Part = Readonly<{ todos: readonly TodoItem[]; total: number }>;

const none: Part = { todos: [], total: 0 };

/** One page of all todos: pending ones in the default order and, after the last of them, done ones, the newest first. */
export async function readTodoPage(
  query: QueryContext,
  today: Viewer,
  { group, status, sort, page, ...filters }: TodoFilters & Readonly<{ page: number }>,
): Promise<Readonly<{ pending: readonly TodoItem[]; done: readonly TodoItem[]; total: number }>> {
  const offset = (page - 1) * todosPerPage;
  const [hasPending, hasDone] = [status !== "completed", status !== "incomplete" && group === undefined];
  const pending = hasPending ? await readPending(query, today, { group, sort, ...filters }, offset) : none;
  const room = todosPerPage - pending.todos.length;
  const start = room > 0 ? Math.max(0, offset - pending.total) : "count";
  const done = hasDone ? await readDone(query, today, filters, start) : none;
  return {
    pending: pending.todos,
    done: done.todos.slice(0, room),
    total: pending.total + done.total,
  };
}

async function readPending(
  query: QueryContext,
  today: Viewer,
  { group, sort, categoryId, ...filters }: TodoFilters,
  offset: number,
): Promise<Part> {
  const all = await selectTodos(query, { ...filters, categories: listed(categoryId), status: "incomplete" });
  const ranges = group
    ? all.ranges.map((range) => allOf(range, isInGroup(group.name, today, group.firstWeekday)))
    : all.ranges;
  const selection = { ...all, ranges };
  if (!sort) return readPart(query, today, { selection, page: todosInOrder, order: inOrder }, offset);
  const order = todoOrders[sort];
  const page = (chosen: Selection, extent: Extent) => todosSorted(chosen, order, extent);
  return readPart(query, today, { selection, page, order }, offset);
}

async function readDone(
  query: QueryContext,
  today: Viewer,
  { categoryId, ...filters }: TodoFilters,
  start: Offset,
): Promise<Part> {
  const selection = await selectTodos(query, {
    ...filters,
    categories: listed(categoryId),
    status: "completed",
  });
  return readPart(query, today, { selection, page: todosDone, order: newestDone }, start);
}

const listed = (id: number | undefined): readonly number[] | undefined =>
  id === undefined ? undefined : [id];

/** The offset of a part, or `count` if only its total is wanted. */
type Offset = number | "count";

type List = Readonly<{
  selection: Selection;
  page(selection: Selection, extent: Extent): ReturnType<typeof todosDone>;
  order: typeof inOrder;
}>;

async function readPart(
  query: QueryContext,
  today: Viewer,
  { selection, page, order }: List,
  start: Offset,
): Promise<Part> {
  const part = start === "count" ? undefined : page(selection, { limit: todosPerPage, offset: start });
  const rows = part ? await query.rows(todoRows(part, order)) : [];
  // Every row has the total, so a second statement asks for it only when no row was read.
  const [counted] = rows.length > 0 || start === 0 ? rows : await query.rows(countTodos(selection));
  return { todos: presentTodos(rows, today), total: counted?.total ?? 0 };
}
