import type { Commands, OutputOf } from "../../../../shared/contracts/catalogue.ts";
import { deletionKinds } from "../../../../shared/db/entities/deletion.ts";
import type { HandlerContext } from "../../handler.ts";
import type { StepContext, Steps } from "../../steps.ts";

type Left = OutputOf<Commands["action.undo"]>["left"];

/** The most members that come back with their category at once; more follow in steps. */
export const membersAtOnce = 1_000;

/** The categories of a command that come back with more members than that. */
export const membersLeft = ({ bringMembersBack }: HandlerContext): Left =>
  bringMembersBack.all().flatMap(({ id, except }) => (except ? [{ category_id: id, from: 0, except }] : []));

/** Members of categories that came back, in steps. */
export const membersReturn: Steps = {
  async step(context) {
    const { input, cursor } = context;
    const { left } = cursor === null ? (input as { left: Left }) : { left: JSON.parse(cursor) as Left };
    const [first, ...others] = left;
    if (!first) return { done: 0, cursor: null };
    const rest = await returnMembers(context, first);
    const next = [...(rest ? [rest] : []), ...others];
    return { done: membersAtOnce, cursor: next.length > 0 ? JSON.stringify(next) : null };
  },
  async left({ connection, userId, cursor }) {
    const left: Left = JSON.parse(cursor ?? "[]");
    const { rows } = await connection.query<{ count: number }>(
      `select coalesce(sum(greatest(cardinality(n.habit_ids), cardinality(n.todo_ids), 0)), 0)::int as count
       from deletions n where n.user_id = $1 and n.kind = ${deletionKinds.categories} and n.id = any($2::bigint[])`,
      [userId, left.map(({ category_id }) => category_id)],
    );
    return (rows[0]?.count ?? 0) - left.reduce((sum, { from }) => sum + from, 0);
  },
};

const note = `deletions n where n.user_id = $1 and n.kind = ${deletionKinds.categories} and n.id = $2`;

/** Those that are in another category by now stay there. */
const comeBack = (table: "habits" | "todos"): string => `
  update ${table} t set category_id = $2, changed_xid = default
  where t.user_id = $1 and t.id = any($3::bigint[]) and t.category_id is null`;

/** Puts the next members back. @returns what is left then, undefined at the end, when the note of the deletion goes */
export async function returnMembers(
  { connection, userId }: StepContext,
  { category_id, from, except }: Left[number],
): Promise<Left[number] | undefined> {
  const next = from + membersAtOnce;
  const slice = (ids: string) => `n.${ids}[$3::int + 1 : $4::int] as ${ids}`;
  const { rows } = await connection.query<{
    habit_ids: number[] | null;
    todo_ids: number[] | null;
    count: number;
  }>(
    `select ${slice("habit_ids")}, ${slice("todo_ids")},
       greatest(cardinality(n.habit_ids), cardinality(n.todo_ids), 0) as count from ${note}`,
    [userId, category_id, from, next],
  );
  const { habit_ids, todo_ids, count = 0 } = rows[0] ?? {};
  const without = (ids: readonly number[] | null | undefined, others: readonly number[]) => {
    const left = new Set(others);
    return (ids ?? []).map(Number).filter((id) => !left.has(id));
  };
  await Promise.all([
    connection.query(comeBack("habits"), [userId, category_id, without(habit_ids, except.habit_ids)]),
    connection.query(comeBack("todos"), [userId, category_id, without(todo_ids, except.todo_ids)]),
  ]);
  if (next < count) return { category_id, from: next, except };
  await connection.query(`delete from ${note}`, [userId, category_id]);
  return undefined;
}
