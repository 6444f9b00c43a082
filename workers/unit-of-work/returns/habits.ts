import { deletionKinds } from "../../../shared/db/entities/deletion.ts";
import type { Effect, View } from "../table.ts";

/** The tombstone with its arrays, which only statements read. */
const tombstone = `
  cross join lateral (select * from deletions d
    where d.user_id = v.user_id and d.kind = ${deletionKinds.habits} and d.id = v.habit_id offset 0) d`;

const completions =
  "cross join lateral unnest(d.completed_dates, d.completed_times) c(local_date, completed_at)";

/** Completions of deleted habits, by habit and date. */
export const deletedCompletions = {
  as: "deletedCompletions",
  key: ["user_id", "habit_id", "local_date"],
  read: `
    select v.user_id, v.habit_id::bigint, c.local_date, c.completed_at
    from (
      select user_id, habit_id, array_agg(local_date) as dates
      from unnest($1::text[], $2::bigint[], $3::date[]) k(user_id, habit_id, local_date) group by 1, 2
    ) v ${tombstone} ${completions} where c.local_date = any(v.dates)`,
} as const satisfies View;

export type CompletionsReturn = Readonly<{
  user_id: string;
  habit_id: number;
  /** How many completions it has. */
  count: number;
  /** The dates whose completions are rows of the unit of work. */
  known: readonly string[];
}>;

/** Brings back the completions of a habit that comes back. They are never loaded, because there can be thousands. */
export const returnCompletions: Effect<CompletionsReturn> = {
  key: ["user_id", "habit_id"],
  size: ({ count }) => count,
  statement: `
    insert into habit_completions (user_id, habit_id, local_date, completed_at)
    select v.user_id, v.habit_id, c.local_date, c.completed_at
    from json_to_recordset($1) v(user_id text, habit_id bigint, known date[]) ${tombstone} ${completions}
    where c.local_date <> all(v.known)`,
};

/** In place of the known completions, those that the habit has by now. */
export type CompletionsKept = CompletionsReturn &
  Readonly<{ dates: readonly string[]; times: readonly string[] }>;

/** Gives the tombstone of a habit that came back, and goes again, the completions that the habit has by now. */
export const keepCompletions: Effect<CompletionsKept> = {
  key: ["user_id", "habit_id"],
  size: ({ count }) => count,
  statement: `
    update deletions t
    set completed_dates = n.dates, completed_times = n.times, deleted_at = now(), changed_xid = pg_current_xact_id()
    from (
      select d.user_id, d.changed_xid, d.id, h.dates, h.times
      from json_to_recordset($1) v(user_id text, habit_id bigint, known date[], dates date[], times timestamptz[])
      ${tombstone}
      cross join lateral (
        select array_agg(c.local_date order by c.local_date) as dates,
          array_agg(c.completed_at order by c.local_date) as times
        from (
          select * from unnest(d.completed_dates, d.completed_times) c(local_date, completed_at)
          where c.local_date <> all(v.known)
          union all select * from unnest(v.dates, v.times)
        ) c
      ) h
    ) n
    where t.user_id = n.user_id and t.changed_xid = n.changed_xid and t.kind = ${deletionKinds.habits} and t.id = n.id`,
};
