import { sql } from "../../../shared/db/reads/sql.ts";
import type { Condition, QueryContext } from "../engine/context.ts";

/** Numbers of completions by day; days without any are left out. */
export type DoneDays = ReadonlyMap<string, number>;

type Period = Readonly<{ from: string; to: string }>;

/** Completions of deleted habits stay for an undo but do not count. */
export const isOfHabit = ({ own }: Pick<QueryContext, "own">): Condition =>
  sql`exists (select from ${own("habits")} h where h.id = c.habit_id)`;

export const readDoneDays = (query: QueryContext, period: Period): Promise<DoneDays> =>
  countDays(query, period, isOfHabit(query));

export const readDoneDaysOf = (query: QueryContext, period: Period, habitId: number): Promise<DoneDays> =>
  countDays(query, period, sql`c.habit_id = ${habitId}::bigint`);

/** Reads day by day along an index; for one range, PostgreSQL would sort all completions of a year. */
async function countDays({ own, rows }: QueryContext, { from, to }: Period, which: Condition) {
  const days = await rows(sql<{ day: string; done: number }>`
    select day::date as day, c.done from generate_series(${from}::date, ${to}::date, interval '1 day') day
    cross join lateral (
      select count(*) as done from ${own("habit_completions")} c where c.local_date = day::date and ${which}
    ) c
    where c.done > 0`);
  return new Map(days.map(({ day, done }) => [day, done]));
}
