import { deletionKinds } from "../../../shared/db/entities/deletion.ts";
import { asJson } from "../save.ts";
import type { Column, Entry, HabitReturn, Statement, Table } from "../table.ts";
import { noStatements } from "./no-statements.ts";

const habitKey: readonly Column[] = [
  { name: "user_id", type: "text" },
  { name: "habit_id", type: "bigint" },
];
const completionKey: readonly Column[] = [...habitKey, { name: "local_date", type: "date" }];

/** The note of a deletion with its arrays, by which a statement reads and never a worker. */
const ofDeletion = `
  cross join lateral (select * from deletions d
    where d.user_id = v.user_id and d.kind = ${deletionKinds.habits} and d.id = v.habit_id offset 0) d`;

const ofNote = "cross join lateral unnest(d.completed_dates, d.completed_times) c(local_date, completed_at)";

/** Completions of deleted habits, by habit and date. */
export const deletedCompletions: Table = {
  name: "deleted_completions",
  columns: [],
  key: completionKey,
  sql: {
    ...noStatements,
    read: `select v.user_id, v.habit_id::bigint, c.local_date, c.completed_at
      from (select user_id, habit_id, array_agg(local_date) as dates from unnest($1::text[], $2::bigint[], $3::date[]) k(user_id, habit_id, local_date) group by 1, 2) v
      ${ofDeletion} ${ofNote} where c.local_date = any(v.dates)`,
  },
};

const values = `json_to_recordset($1) v(user_id text, habit_id bigint, known date[], is_gone_again boolean,
  dates date[], times timestamptz[])`;

const comeBack = `
  insert into habit_completions (user_id, habit_id, local_date, completed_at)
  select v.user_id, v.habit_id, c.local_date, c.completed_at
  from ${values} ${ofDeletion} ${ofNote}
  where c.local_date <> all(v.known)`;

/** The note of a habit that came back and goes again takes the completions that it has by now. */
const goAgain = `
  update deletions t set completed_dates = n.dates, completed_times = n.times, deleted_at = now(),
    changed_xid = pg_current_xact_id()
  from (select d.user_id, d.changed_xid, d.id, h.dates, h.times from ${values} ${ofDeletion}
    cross join lateral (
      select array_agg(c.local_date order by c.local_date) as dates, array_agg(c.completed_at order by c.local_date) as times
      from (
        select * from unnest(d.completed_dates, d.completed_times) c(local_date, completed_at)
        where c.local_date <> all(v.known)
        union all select * from unnest(v.dates, v.times)
      ) c) h) n
  where t.user_id = n.user_id and t.changed_xid = n.changed_xid and t.kind = ${deletionKinds.habits}
    and t.id = n.id`;

/** PostgreSQL stops a statement that takes too long. */
const completionsAtOnce = 5_000;

/**
 * Habits that come back with the completions that were noted when they were deleted. These are never loaded, because
 * there can be thousands of each.
 */
export const habitReturns: Table = {
  name: "habit_returns",
  columns: [],
  key: habitKey,
  writes(_, changed) {
    const returns = changed as readonly Entry<HabitReturn>[];
    const [gone, back] = [returns.filter(isGone), returns.filter((entry) => !isGone(entry))];
    return [
      ...inParts(back).map((entries) => statement(comeBack, entries)),
      ...inParts(gone).map((entries) => statement(goAgain, entries)),
    ];
  },
  sql: { ...noStatements, insert: comeBack, update: goAgain },
};

const isGone = ({ row }: Entry<HabitReturn>): boolean => row?.is_gone_again === true;

const statement = (text: string, entries: readonly Entry<HabitReturn>[]): Statement => ({
  text,
  values: [asJson(entries)],
});

function inParts(entries: readonly Entry<HabitReturn>[]): readonly (readonly Entry<HabitReturn>[])[] {
  const parts: Entry<HabitReturn>[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    const count = entry.row?.count ?? 0;
    if (size + count > completionsAtOnce) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(entry);
    size += count;
  }
  return parts;
}
