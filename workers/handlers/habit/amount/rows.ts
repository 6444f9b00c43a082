import type { HabitRow } from "../../../../shared/db/entities.ts";
import { addDays } from "../../../../shared/domain/day/day.ts";
import { withoutLock } from "../../../unit-of-work/row-request.ts";
import type { HandlerContext, LoadedTables, Related } from "../../handler.ts";
import { relatedToHabit } from "../rows.ts";
import type { DaySum } from "./day-sum.ts";

type OneDay = Readonly<{ habit_id: number; date?: string | undefined }>;

/** Today is one of the latest days: after it come only those from which a change of zone moved today back. */
const daysThatMayBeToday = 4;

/** The habit knows which of its last days have a sum, so today costs no look-up without one. */
export function relatedToDay(loaded: LoadedTables, input: OneDay): Related {
  const { habit_id, date } = input;
  const known = Object.keys(loaded.habits.get(habit_id)?.recent_amounts ?? {}).sort();
  const days = date === undefined ? known.slice(-daysThatMayBeToday) : [date];
  const sums = days.flatMap((day) => withoutLock("habit_amounts", [habit_id, day]));
  return { rows: [...relatedToHabit(loaded, input).rows, ...sums] };
}

/** Writes a day's sum, or removes it, with the habit's copy of it. @returns the habit */
export function writeSum(
  { amounts, habits, now, today }: HandlerContext,
  row: HabitRow,
  date: string,
  sum: DaySum | undefined,
): HabitRow {
  const stored = amounts.get(row.id, date);
  if (stored?.amount === sum?.amount && stored?.target === sum?.target) return row;
  if (!sum) amounts.remove(row.id, date);
  else if (stored) amounts.update(stored, sum);
  else amounts.insert({ habit_id: row.id, local_date: date, ...sum });
  const { [date]: _, ...others } = row.recent_amounts;
  const recent = { ...others, ...(sum && { [date]: sum.amount }) };
  return habits.update(row, { recent_amounts: lastAmounts(recent, today.date), updated_at: now });
}

/** A habit shows its sums of eight days; a change of zone can move today back by two, and clocks differ. */
const lastDays = 10;

/** The sums that a habit's row has a copy of. */
export function lastAmounts(sums: Readonly<Record<string, number>>, today: string): Record<string, number> {
  const first = addDays(today, -lastDays);
  return Object.fromEntries(Object.entries(sums).filter(([date]) => date >= first));
}
