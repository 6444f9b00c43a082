import type { Static } from "typebox";
import type { Todo } from "../../../shared/contracts/todo/schema.ts";
import { join, literal, sql } from "../../../shared/db/reads/sql.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import { allOf, type Condition, type QueryContext } from "../engine/context.ts";
import { type DueGroup, dueDatesOf, dueGroups } from "./due-groups.ts";
import { inOrder, isCompleted, isPending, todosInOrder } from "./order.ts";
import { always, isAheadWithin, isOverdueWithin } from "./overdue.ts";
import { presentTodos, type TodoWithRelations, todoRows } from "./read.ts";

/** Matches pending todos of a group. */
export function isInGroup(group: DueGroup, today: Viewer, firstWeekday: number): Condition {
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
