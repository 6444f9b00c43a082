import type { Effect } from "./table.ts";

export type HabitHistory = Readonly<{
  user_id: string;
  habit_id: number;
  dates: readonly string[];
  /** The time of each completion; null becomes noon (UTC) of its day. */
  times: readonly (string | null)[];
}>;

/**
 * Writes the completions that come with a new habit. As rows of the unit of work, thousands of them would keep a worker
 * busy for longer than everything else of an import.
 */
export const writeHistory: Effect<HabitHistory> = {
  key: ["user_id", "habit_id"],
  size: ({ dates }) => dates.length,
  adds: true,
  statement: `
    insert into habit_completions (user_id, habit_id, local_date, completed_at)
    select v.user_id, v.habit_id, c.local_date,
      coalesce(c.completed_at, (c.local_date + time '12:00') at time zone 'UTC')
    from json_to_recordset($1) v(user_id text, habit_id bigint, dates date[], times timestamptz[])
    cross join lateral unnest(v.dates, v.times) c(local_date, completed_at)`,
};
