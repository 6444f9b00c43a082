import { deletionKinds } from "../../shared/db/entities/deletion.ts";
import type { Tombstone } from "./table.ts";

/**
 * Clients that keep a copy are told of what is written to tables with tombstones, by the number of the transaction that
 * last wrote a row. Its default is the present one, in new rows as in `excluded`. Triggers do the same for other tables.
 */
export const changedXid = "changed_xid";

/** What a deletion takes with it and its undoing brings back: all parts of a statement see the rows as before it. */
export const tombstones = {
  categories: {
    kind: deletionKinds.categories,
    columns: ", habit_ids, todo_ids",
    values: `,
      (select array_agg(h.id order by h.id) from habits h where h.user_id = g.user_id and h.category_id = g.id),
      (select array_agg(t.id order by t.id) from todos t where t.user_id = g.user_id and t.category_id = g.id)`,
    onConflict: `on conflict (user_id, changed_xid, kind, id) do update set
      habit_ids = deletions.habit_ids || excluded.habit_ids, todo_ids = deletions.todo_ids || excluded.todo_ids`,
  },
  habits: {
    kind: deletionKinds.habits,
    columns: ", completed_dates, completed_times",
    values: `,
      (select array_agg(c.local_date order by c.local_date) from habit_completions c where c.user_id = g.user_id and c.habit_id = g.id),
      (select array_agg(c.completed_at order by c.local_date) from habit_completions c where c.user_id = g.user_id and c.habit_id = g.id)`,
  },
  todos: { kind: deletionKinds.todos },
} satisfies Record<keyof typeof deletionKinds, Tombstone>;

/** By key and never by ctid, which is unique in one partition only. Connections for writes plan it along the key. */
export const removal = (
  statement: string,
  { kind, columns = "", values = "", onConflict = "" }: Tombstone,
): string => `
  with gone as (${statement} returning t.user_id, t.id)
  insert into deletions (user_id, changed_xid, kind, id, deleted_at${columns})
  select g.user_id, pg_current_xact_id(), ${kind}, g.id, now()${values} from gone g ${onConflict}`;

/**
 * Writes tombstones of rows that this transaction made and deletes again, because the statement of their removal sees
 * nothing of what hung on them. Members that it deletes before their category are gone by then: it adds the others.
 */
export const insertTombstones = `
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
