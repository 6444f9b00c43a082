import { mostInDay, roundAmount } from "../../../shared/contracts/habit/fields.ts";
import type { HabitRow } from "../../../shared/db/entities.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import { withoutLock } from "../../unit-of-work/row-request.ts";
import type { HandlerContext, LoadedTables, Related } from "../handler.ts";
import { relatedToHabit } from "./habit.ts";

/** A day's sum, and the target by which the day counts: 0 once it was ticked off without one. */
export type DaySum = Readonly<{ amount: number; target: number }>;

/** A day is completed exactly if its sum has reached its target; one without a sum, if it was ticked off. */
export type CountedDay = Readonly<{ sum: DaySum | undefined; isCompleted: boolean }>;

/**
 * Adds an amount, or the rest of the target. A completed day stays completed under any later target.
 * @param target of the habit at present
 */
export function addToDay(
  { sum, isCompleted }: CountedDay,
  target: number | null,
  amount?: number,
): CountedDay | "already_completed" | "no_target" | "too_much" {
  if (target === null && amount !== undefined) return "no_target";
  if (isCompleted && amount === undefined) return "already_completed";
  if (target === null) return { sum: sum && { ...sum, target: 0 }, isCompleted: true };
  const before = sum?.amount ?? 0;
  const after = amount === undefined ? Math.max(before, target) : roundAmount(before + amount);
  if (after > mostInDay) return "too_much";
  return withTarget(after, isCompleted ? (sum?.target ?? 0) : target);
}

export type SumChange = Readonly<{
  before: Partial<DaySum> | undefined;
  after: Partial<DaySum> | undefined;
}>;

/**
 * Takes an action back: the sum goes back by what it added, and the target returns unless another action changed it.
 * @param target of the habit at present, for a day that lost its sum since
 */
export function withoutChange(
  { sum, isCompleted }: CountedDay,
  { before, after }: SumChange,
  target: number | null,
): CountedDay | "gone" {
  const amount = roundAmount((sum?.amount ?? 0) + (before?.amount ?? 0) - (after?.amount ?? 0));
  const isOwnTarget = sum ? sum.target === after?.target : !isCompleted;
  const counts = (isOwnTarget ? before?.target : undefined) ?? sum?.target ?? (isCompleted ? 0 : target);
  return amount < 0 || counts === null ? "gone" : withTarget(amount, counts);
}

const withTarget = (amount: number, target: number): CountedDay => ({
  sum: amount > 0 ? { amount, target } : undefined,
  isCompleted: amount >= target,
});

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

/**
 * Writes a day's sum, or removes it, with the habit's copy of it.
 * @param begun_at the time of its first addition; unset: as stored, or now
 * @returns the habit
 */
export function writeSum(
  { amounts, habits, now, today }: HandlerContext,
  row: HabitRow,
  date: string,
  sum: DaySum | undefined,
  begun_at?: string,
): HabitRow {
  const stored = amounts.get(row.id, date);
  if (stored?.amount === sum?.amount && stored?.target === sum?.target) return row;
  if (!sum) amounts.remove(row.id, date);
  else if (stored) amounts.update(stored, { ...sum, begun_at: begun_at ?? stored.begun_at });
  else amounts.insert({ habit_id: row.id, local_date: date, ...sum, begun_at: begun_at ?? now });
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
