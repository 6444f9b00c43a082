import { maxUndone } from "../../shared/contracts/action-undo.ts";
import { maxSeveral } from "../../shared/contracts/several.ts";
import { noStatements } from "./returns/no-statements.ts";
import type { Table } from "./table.ts";

/** As many as show that there are others beside those that one undo takes out of the category itself. */
const mostSeen = maxUndone * maxSeveral + 1;

const members = (table: string): string => `
  array(select t.id from ${table} t where t.user_id = v.user_id and t.category_id = v.id::bigint limit ${mostSeen})`;

const comeBack = (table: string, ids: string): string => `
  update ${table} t set category_id = v.id, changed_xid = default
  from returning_members v cross join lateral unnest(v.${ids}) member(id)
  where t.user_id = v.user_id and t.id = member.id and t.category_id is null`;

const key: Table["key"] = [
  { name: "user_id", type: "text" },
  { name: "id", type: "bigint" },
];

/** The habits and todos of a category. */
export const categoryMembers: Table = {
  name: "category_members",
  columns: [],
  key,
  sql: {
    ...noStatements,
    read: `select v.user_id, v.id::bigint, ${members("habits")} as habit_ids, ${members("todos")} as todo_ids
      from unnest($1::text[], $2::bigint[]) v(user_id, id)`,
  },
};

/**
 * The members that come back to a category whose deletion is undone: not loaded, because there can be tens of thousands.
 * Those that are in another category by now stay there.
 */
export const categoryReturns: Table = {
  name: "category_returns",
  columns: [],
  key,
  sql: {
    ...noStatements,
    insert: `with returning_members as (
        select * from json_to_recordset($1) v(user_id text, id bigint, habit_ids bigint[], todo_ids bigint[])
      ), habits_back as (${comeBack("habits", "habit_ids")})
      ${comeBack("todos", "todo_ids")}`,
  },
};
