import { deletionKinds } from "../../shared/db/entities/deletion.ts";
import type { TableName } from "./table.ts";

/**
 * Clients that keep a copy are told of what is written to these tables, by the number of the transaction that last wrote
 * a row. Its default is the present one, in new rows as in `excluded`. Triggers do the same for other tables they see.
 */
export const toldOf: Partial<Record<TableName, number>> = deletionKinds;
export const stamp = "changed_xid";

/**
 * Of what this transaction made and deletes again, no statement notes what hung on it; and the members that it deletes
 * before their category are not there any more when that goes: it adds the others to this note.
 */
export const note = `
  with noted as (
    select * from json_to_recordset($1) v(user_id text, kind smallint, id bigint,
      completed_dates date[], completed_times timestamptz[], habit_ids bigint[], todo_ids bigint[])
  ), forgotten as (
    delete from deletions d using noted n where d.user_id = n.user_id and d.kind = n.kind and d.id = n.id
  )
  insert into deletions
    (user_id, changed_xid, kind, id, deleted_at, completed_dates, completed_times, habit_ids, todo_ids)
  select user_id, pg_current_xact_id(), kind, id, now(), completed_dates, completed_times, habit_ids, todo_ids
  from noted`;

/**
 * By key and never by ctid, which is unique in one partition only. Connections for writes plan it along the key.
 */
export function removal(name: TableName, statement: string): string {
  const kind = toldOf[name];
  if (kind === undefined) return statement;
  const { columns, values, noted } = hangingOn[name] ?? nothingHanging;
  return `with gone as (${statement} returning t.user_id, t.id)
    insert into deletions (user_id, changed_xid, kind, id, deleted_at${columns})
    select g.user_id, pg_current_xact_id(), ${kind}, g.id, now()${values} from gone g ${noted}`;
}

type Hanging = Readonly<{ columns: string; values: string; noted: string }>;
const nothingHanging: Hanging = { columns: "", values: "", noted: "" };

/** What a deletion takes with it and its undoing brings back: all parts of a statement see the rows as before it. */
const hangingOn: Partial<Record<TableName, Hanging>> = {
  habits: {
    columns: ", completed_dates, completed_times",
    values: `,
      (select array_agg(c.local_date order by c.local_date) from habit_completions c where c.user_id = g.user_id and c.habit_id = g.id),
      (select array_agg(c.completed_at order by c.local_date) from habit_completions c where c.user_id = g.user_id and c.habit_id = g.id)`,
    noted: "",
  },
  categories: {
    columns: ", habit_ids, todo_ids",
    values: `,
      (select array_agg(h.id order by h.id) from habits h where h.user_id = g.user_id and h.category_id = g.id),
      (select array_agg(t.id order by t.id) from todos t where t.user_id = g.user_id and t.category_id = g.id)`,
    noted: `on conflict (user_id, changed_xid, kind, id) do update set
      habit_ids = deletions.habit_ids || excluded.habit_ids, todo_ids = deletions.todo_ids || excluded.todo_ids`,
  },
};
