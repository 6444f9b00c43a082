import { sql } from "../../../shared/db/reads/sql.ts";
import type { Viewer } from "../../../shared/domain/reach.ts";
import { type QueryContext, readDaySettings } from "../engine/context.ts";
import { type DoneDays, readDoneDaysOf } from "./done-days.ts";
import { type HabitInWeek, readHabitInWeek } from "./week.ts";

/** A habit with the days of a period up to today on which it was done. */
export type HabitInYear = Readonly<{
  today: Viewer;
  item: HabitInWeek;
  done: DoneDays;
  notes: readonly DayNote[];
}>;

/** A note on a completed day. */
type DayNote = Readonly<{ date: string; note: string }>;

/**
 * @param beginning the period's first day
 * @returns undefined when the habit does not exist
 */
export async function readHabitInYear(
  query: QueryContext,
  habitId: number,
  beginning: (today: string) => string,
): Promise<HabitInYear | undefined> {
  const { today } = await readDaySettings(query);
  const period = { from: beginning(today.date), to: today.date };
  const item = await readHabitInWeek(query, today, habitId);
  if (!item) return undefined;
  const done = await readDoneDaysOf(query, period, habitId);
  const notes = await query.rows(sql<DayNote>`
    select c.local_date as date, c.note from ${query.own("habit_completions")} c
    where c.habit_id = ${habitId}::bigint and c.local_date between ${period.from}::date and ${period.to}::date
      and c.note is not null
    order by c.local_date desc`);
  return { today, item, done, notes };
}
