import type { Queryable } from "../../../unit-of-work/connection.ts";
import type { HandlerContext } from "../../handler.ts";
import type { Steps } from "../../steps.ts";
import { type ChangedRows, idOf } from "./changed-row.ts";

/** Restored categories whose members must follow. */
type Left = readonly Readonly<{ category_id: number }>[];

/** The categories that this undo restored. */
export function categoriesBack({ categories }: HandlerContext, actions: readonly ChangedRows[]): Left {
  const gone = actions.flatMap((rows) =>
    [...rows.values()].filter(({ table, after }) => table === "categories" && !after),
  );
  const ids = new Set(gone.map(idOf).filter((id) => categories.get(id)));
  return [...ids].map((category_id) => ({ category_id }));
}

/** Members of restored categories, in steps. */
export const membersReturn: Steps = {
  async part({ connection, userId, input }) {
    const done = await returnMembers(connection, userId, (input as { left: Left }).left);
    return { done, cursor: done < membersAtOnce ? null : "next" };
  },
  async left({ connection, userId, input }) {
    const { rows } = await connection.query<{ count: number }>(
      `select count(*)::int as count ${formerMembers("todos")}`,
      [userId, idsOf((input as { left: Left }).left)],
    );
    return rows[0]?.count ?? 0;
  },
};

/** The most members of one part. */
export const membersAtOnce = 1_000;

const formerMembers = (table: "habits" | "todos"): string => `
  from ${table} t join categories c on c.user_id = t.user_id and c.id = t.former_category_id
  where t.user_id = $1 and t.former_category_id = any($2::bigint[])`;

/** A member of another category stays there. */
const comeBack = (table: "habits" | "todos"): string => `
  update ${table} set
    category_id = coalesce(category_id, former_category_id), former_category_id = null, changed_xid = default
  where user_id = $1 and id = any(array(
    select t.id ${formerMembers(table)} order by t.former_category_id, t.id limit ${membersAtOnce} for update of t))`;

const idsOf = (left: Left): number[] => left.map(({ category_id }) => category_id);

/**
 * Restores the next members.
 * @returns their number; fewer than `membersAtOnce` are the last
 */
export async function returnMembers(connection: Queryable, userId: string, left: Left): Promise<number> {
  if (left.length === 0) return 0;
  const results = await Promise.all(
    (["habits", "todos"] as const).map((table) => connection.query(comeBack(table), [userId, idsOf(left)])),
  );
  return Math.max(...results.map(({ rowCount }) => rowCount ?? 0));
}
