import type { Viewer } from "../../../shared/domain/reach.ts";
import { type QueryContext, readDaySettings } from "../engine/context.ts";
import { type DoneDays, readDoneDaysOf } from "./done-days.ts";
import { type HabitInWeek, readHabitInWeek } from "./week.ts";

/** A habit with the days of a period up to today on which it was done. */
export type HabitInYear = Readonly<{ today: Viewer; item: HabitInWeek; done: DoneDays }>;

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
  return item && { today, item, done: await readDoneDaysOf(query, period, habitId) };
}
