import type { QueryContext } from "../engine/context.ts";
import { sql } from "../engine/sql.ts";
import { activityCounts } from "./read.ts";

/** A user's numbers on a day. */
export type DayTotals = Readonly<{
  /** Completions of habits and todos on each of the last 14 days. */
  strip: Readonly<Record<string, number>>;
  habits: number;
  /** Habits whose streak lives. */
  streaks: number;
}>;

export async function readDayTotals(query: QueryContext, today: string): Promise<DayTotals> {
  const habits = query.own("habits");
  const [totals] = await query.rows(sql<DayTotals>`
    select (${activityCounts(query, today)}) as strip, count(*) as habits,
      count(*) filter (where h.streak > 0 and h.streak_alive_through >= ${today}::date) as streaks
    from ${habits} h`);
  if (!totals) throw new Error("The statement of totals gave no row.");
  return totals;
}
