import { maxUndone } from "../../../shared/contracts/action/undo.ts";
import { maxAtOnce } from "../../../shared/contracts/group/contracts.ts";
import type { View } from "../table.ts";

export type CategoryMembers = Readonly<{
  user_id: string;
  id: number;
  habit_ids: readonly number[];
  todo_ids: readonly number[];
}>;

/** One more than a single undo can remove from the category, to see whether others are in it. */
const mostSeen = maxUndone * maxAtOnce + 1;

const members = (table: string): string => `
  array(select t.id from ${table} t where t.user_id = v.user_id and t.category_id = v.id::bigint limit ${mostSeen})`;

/** The habits and todos of a category. */
export const categoryMembers = {
  as: "categoryMembers",
  key: ["user_id", "id"],
  read: `
    select v.user_id, v.id::bigint, ${members("habits")} as habit_ids, ${members("todos")} as todo_ids
    from unnest($1::text[], $2::bigint[]) v(user_id, id)`,
} as const satisfies View;
