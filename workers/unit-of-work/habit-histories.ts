import type { HabitAmountRow } from "../../shared/db/entities.ts";
import type { Effect } from "./table.ts";

export type NewHistory = Readonly<{
  user_id: string;
  habit_id: number;
  dates: readonly string[];
  /** The time of each completion; null becomes noon (UTC) of its day. */
  times: readonly (string | null)[];
  notes: readonly (string | null)[];
  sums: readonly Pick<HabitAmountRow, "local_date" | "amount" | "target">[];
}>;

/**
 * Writes the completions and amounts that come with a new habit. As rows of the unit of work, thousands of them would keep a worker
 * busy for longer than everything else of an import.
 */
export const writeHistory: Effect<NewHistory> = {
  key: ["user_id", "habit_id"],
  size: ({ dates, sums }) => dates.length + sums.length,
  statement: `
    with given as (
      select * from json_to_recordset($1) v(user_id text, habit_id bigint, dates date[], times timestamptz[], notes text[], sums json)
    ), counted as (
      insert into habit_amounts (user_id, habit_id, local_date, amount, target)
      select v.user_id, v.habit_id, s.local_date, s.amount, s.target from given v
      cross join lateral json_to_recordset(v.sums) s(local_date date, amount int, target int)
    )
    insert into habit_completions (user_id, habit_id, local_date, completed_at, note)
    select v.user_id, v.habit_id, c.local_date,
      coalesce(c.completed_at, (c.local_date + time '12:00') at time zone 'UTC'), c.note
    from given v
    cross join lateral unnest(v.dates, v.times, v.notes) c(local_date, completed_at, note)`,
};
