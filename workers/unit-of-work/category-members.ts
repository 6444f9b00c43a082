import { maxUndone } from "../../shared/contracts/action/undo.ts";
import { maxSeveral } from "../../shared/contracts/todo/several.ts";
import type { Effect, View } from "./table.ts";

export type CategoryMembers = Readonly<{
  user_id: string;
  id: number;
  habit_ids: readonly number[];
  todo_ids: readonly number[];
}>;

/** One more than a single undo can take out of the category, so that it sees whether others are in it. */
const mostSeen = maxUndone * maxSeveral + 1;

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

export type MembersReturn = CategoryMembers &
  Readonly<{
    /** Too many for one command come back in steps, all but these. */
    except?: Readonly<{ habit_ids: number[]; todo_ids: number[] }>;
  }>;

const comeBack = (table: string, ids: string): string => `
  update ${table} t set category_id = v.id, changed_xid = default
  from returning_members v cross join lateral unnest(v.${ids}) member(id)
  where t.user_id = v.user_id and t.id = member.id and t.category_id is null`;

/** Puts habits and todos back into a category that comes back. Those that are in another one by now stay there. */
export const bringMembersBack: Effect<MembersReturn> = {
  key: ["user_id", "id"],
  statement: `
    with returning_members as (
      select * from json_to_recordset($1) v(user_id text, id bigint, habit_ids bigint[], todo_ids bigint[])
    ), habits_back as (${comeBack("habits", "habit_ids")})
    ${comeBack("todos", "todo_ids")}`,
};
