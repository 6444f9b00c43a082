import type { Condition, QueryContext } from "../engine/context.ts";
import { sql } from "../engine/sql.ts";

/** Days with the number of completions on each; a day without any is not in it. */
export type DoneDays = ReadonlyMap<string, number>;

type Period = Readonly<{ from: string; to: string }>;

/** Completions of deleted habits are kept for an undo, and count nowhere. */
const ofHabit = ({ own }: QueryContext) =>
  sql`exists (select from ${own("habits")} h where h.id = c.habit_id)`;

/** How many of all habits were done on each day of a period. */
export const readDoneDays = (query: QueryContext, period: Period): Promise<DoneDays> =>
  countDays(query, period, ofHabit(query));

/** On which days of a period one habit was done. */
export const readDoneDaysOf = (query: QueryContext, period: Period, habitId: number): Promise<DoneDays> =>
  countDays(query, period, sql`c.habit_id = ${habitId}::bigint`);

async function countDays({ own, rows }: QueryContext, { from, to }: Period, which: Condition) {
  const days = await rows(sql<{ day: string; done: number }>`
    select c.local_date as day, count(*) as done from ${own("habit_completions")} c
    where ${which} and c.local_date between ${from}::date and ${to}::date
    group by c.local_date order by c.local_date`);
  return new Map(days.map(({ day, done }) => [day, done]));
}
