import { type Expression, type SqlBool, sql } from "kysely";
import { own, parameters, selectFrom, statement, statements } from "../../../shared/db/reads/statement.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import type { QueryContext } from "../engine/context.ts";
import { countOf, readCounted } from "../engine/pagination.ts";
import { firstOfWeek } from "../habit/week.ts";
import {
  always,
  byDueDate,
  clockValues,
  type DuePeriod,
  dueValues,
  dueWithin,
  firstTodos,
  isCompleted,
  isPending,
  isUndated,
  overduePart,
  selectTodos,
  type TagFilters,
  type TodoPart,
  todo,
  type todoSorts,
} from "./order.ts";
import { partsOfTodos, presentTodos, type TodoWithRelations, todoRows } from "./read.ts";

/** Groups in the order of their due dates; each todo is in exactly one. */
export const dueGroups = ["overdue", "today", "tomorrow", "week", "later", "undated"] as const;
export type DueGroup = (typeof dueGroups)[number];

/**
 * The due dates of a group, none when the last one comes before the first; undefined means todos without a date. The
 * week group starts after tomorrow and ends with the week, whose first day is `firstWeekday` (1 is Monday).
 */
export function dueDatesOf(group: DueGroup, today: string, firstWeekday: number): DuePeriod | undefined {
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

/** The values of all groups: the clock, and the first and the last due date of each, as lists. */
const groupValues = {
  ...({ starts: "date[]", ends: "date[]", yes: "boolean", no: "boolean" } as const),
  ...({ day: "date", last_day: "date", last_time: "text" } as const),
};
const value = parameters(groupValues);

function valuesOfGroups(today: Viewer, firstWeekday: number) {
  const dates = dueGroups.flatMap((group) => datesOf(group, today, firstWeekday) ?? []);
  const listed = (days: readonly string[]) => `{${days.join(",")}}`;
  return {
    ...{ starts: listed(dates.map(({ from }) => from)), ends: listed(dates.map(({ to }) => to)) },
    ...{ ...clockValues(today), yes: true, no: false },
  };
}

/** The days on which pending todos of a group can be due. */
const datesOf = (group: DueGroup, today: Viewer, firstWeekday: number): DuePeriod | undefined =>
  group === "overdue" ? overduePart(always, today) : dueDatesOf(group, today.date, firstWeekday);

const isInGroup = dueGroups.map((group, index): Expression<SqlBool> => {
  const dayOf = (days: Expression<unknown>) => sql<string>`(${days})[${sql.lit(index + 1)}]`;
  const dates = { from: dayOf(value("starts")), to: dayOf(value("ends")) };
  const isOverdue = value(group === "overdue" ? "yes" : "no");
  return todo.and([isPending, group === "undated" ? isUndated : dueWithin({ ...dates, isOverdue })]);
});

/** The number of pending todos in each group, and of those that are done. */
type TodoCounts = Readonly<Record<DueGroup | "done", number>>;

const groupCounts = statement(groupValues, () => {
  const todos = selectFrom(own("todos").as("t")).select(countOf.as("count"));
  const pending = dueGroups.map(
    (group, index) => sql`${sql.lit(group)}, ${todos.where(isInGroup[index] ?? isPending)}`,
  );
  return sql<{ counts: TodoCounts }>`
    select json_build_object(${sql.join(pending)}, 'done', ${todos.where(isCompleted)}) as counts`;
});

/** The count reads only index entries. */
export async function readTodoCounts({ rows }: QueryContext, today: Viewer, firstWeekday: number) {
  const [row] = await rows(groupCounts(valuesOfGroups(today, firstWeekday)));
  if (!row) throw new Error("The statement that counts todos gave no row.");
  return row.counts;
}

const todosOfGroups = statements(groupValues, (_, limits: readonly number[]) => {
  const parts = isInGroup.map((where, index) => sql`${todoRows(firstTodos(where, limits[index] ?? 0))}`);
  return sql<TodoWithRelations>`
    select * from (${sql.join(parts, sql` union all `)}) t order by ${byDueDate}`;
});

/** The first pending todos of each group, at most `limit` of it, in the default order. */
export async function readTodoGroups(
  query: QueryContext,
  today: Viewer,
  { limit, firstWeekday }: Readonly<{ limit(group: DueGroup): number; firstWeekday: number }>,
) {
  const limits = dueGroups.map(limit);
  const rows = await query.rows(todosOfGroups(limits, valuesOfGroups(today, firstWeekday)));
  return presentTodos(rows, today);
}

export const todosPerPage = 100;

/** The first pending todos that are overdue, or due from a day on, with the number of all. */
export async function readDueTodos(
  query: QueryContext,
  today: Viewer,
  due: Readonly<{ from: string }> | "overdue",
) {
  const dates = due === "overdue" ? { due } : { due_from: due.from };
  const selection = await selectTodos(query, { ...dates, status: "incomplete" });
  const part = partsOfTodos({ ...selection, order: "due" });
  const { rows, total } = await readCounted(query, part, { limit: 2 * todosPerPage, offset: 0 });
  return { todos: presentTodos(rows, today), total };
}

const contextsOfTodos = statement({}, () =>
  selectFrom(own("todos").as("t"))
    .select(({ fn, ref }) => [
      sql<string>`ltrim(${fn.min(ref("t.context"))}, '@')`.as("name"),
      countOf.as("count"),
    ])
    .where(isPending)
    .where("t.context", "is not", null)
    .groupBy(sql`lower(ltrim(${sql.ref("t.context")}, '@'))`)
    .orderBy("count", "desc")
    .orderBy("name")
    .modifyEnd(sql`limit 6`),
);

/** The contexts that most open todos have. */
export const readContexts = ({ rows }: QueryContext) => rows(contextsOfTodos({}));
const none = { todos: [], total: 0 };

export type TodoFilters = Readonly<{
  q?: string | undefined;
  categoryId?: number | undefined;
  /** Only pending todos of this group. */
  group?: Readonly<{ name: DueGroup; firstWeekday: number }> | undefined;
  /** Without it, both are shown. */
  status?: "incomplete" | "completed" | undefined;
  /** Without it, pending todos are in the default order. */
  sort?: (typeof todoSorts)[number] | undefined;
}> &
  TagFilters;

/** One page of all todos: pending ones in the default order and, after the last of them, done ones, the newest first. */
export async function readTodoPage(
  query: QueryContext,
  today: Viewer,
  { group, status, sort, page, categoryId, ...filters }: TodoFilters & Readonly<{ page: number }>,
) {
  const offset = (page - 1) * todosPerPage;
  const common = { ...filters, categories: categoryId === undefined ? undefined : [categoryId] };
  const read = async (
    order: TodoPart["order"],
    filter: Parameters<typeof selectTodos>[1],
    part: Parameters<typeof readCounted>[2],
  ) => {
    const selection = await selectTodos(query, { ...common, ...filter });
    const { rows, total } = await readCounted(query, partsOfTodos({ ...selection, order }), part);
    return { todos: presentTodos(rows, today), total };
  };
  const dates = group && datesOf(group.name, today, group.firstWeekday);
  const due = dates && dueValues(dates, today, group.name === "overdue");
  const dueDates = group && (due ? { due } : { undated: true as const });
  const incomplete = { status: "incomplete", dueDates } as const;
  const pending =
    status === "completed" ? none : await read(sort ?? "due", incomplete, { limit: todosPerPage, offset });
  const room = todosPerPage - pending.todos.length;
  // Without room, one row tells the total.
  const part =
    room > 0 ? { limit: todosPerPage, offset: Math.max(0, offset - pending.total) } : { limit: 1, offset: 0 };
  const hasDone = status !== "incomplete" && group === undefined;
  const done = hasDone ? await read("done", { status: "completed" }, part) : none;
  return {
    pending: pending.todos,
    done: done.todos.slice(0, room),
    total: pending.total + done.total,
  };
}
