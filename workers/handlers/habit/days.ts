import { mostInDay, roundAmount } from "../../../shared/contracts/habit/fields.ts";
import type { HabitRow } from "../../../shared/db/entities.ts";
import { conflicts } from "../../../shared/domain/conflicts.ts";
import { addDays, dayNumber, isoWeekday } from "../../../shared/domain/day/day.ts";
import { isFree, spansOf } from "../../../shared/domain/habit/free-days.ts";
import {
  completed,
  daysAhead,
  daysBack,
  isDoneOn,
  withoutDone,
} from "../../../shared/domain/habit/history.ts";
import { rhythmOf } from "../../../shared/domain/habit/rhythm.ts";
import { conflict, invalid, isRefused, notFound, type Refused } from "../../../shared/errors.ts";
import { type RowRequest, withoutLock } from "../../unit-of-work/row-request.ts";
import type { Handler, HandlerContext, OwnTables, Related } from "../handler.ts";
import { currentHabit, habitAnswer, lockHabit, relatedToHabit, updateHistory } from "./habit.ts";

type OneDay = Readonly<{ habit_id: number; date?: string | undefined }>;

const refuseDate = (demand: string): Refused => invalid({ date: [`The date field must be ${demand}.`] });

function checkDate({ today }: HandlerContext, date: string | undefined): Refused | undefined {
  if (date === undefined) return undefined;
  if (addDays(today.date, -daysBack) <= date && date <= today.date) return undefined;
  return refuseDate(`today (${today.date}) or up to ${daysBack} days before it`);
}

function checkSkipDate({ today }: HandlerContext, date: string | undefined): Refused | undefined {
  if (date === undefined) return undefined;
  const [first, last] = [addDays(today.date, -daysBack), addDays(today.date, daysAhead)];
  return first <= date && date <= last ? undefined : refuseDate(`from ${first} through ${last}`);
}

/**
 * Completions that may be of that day. Without a day in the input, only the user's settings tell which day is
 * today.
 */
function completionRows({ habit_id, date }: OneDay, acceptedAt: number): RowRequest[] {
  const utcDate = new Date(acceptedAt).toISOString().slice(0, 10);
  const dates = date === undefined ? [-2, -1, 0, 1].map((days) => addDays(utcDate, days)) : [date];
  return dates.flatMap((day) => withoutLock("habit_completions", [habit_id, day]));
}

/** The habit and the day of a request, which is today by default; or the reason why that day cannot change. */
function habitOnDay(
  context: HandlerContext,
  { habit_id, date }: OneDay,
  check = checkDate,
): Readonly<{ row: HabitRow; date: string }> | Refused {
  const outOfReach = check(context, date);
  if (outOfReach) return outOfReach;
  const row = context.habits.get(habit_id);
  if (!row) return notFound("Habit");
  return { row, date: date ?? context.today.date };
}

const whichDay = ({ today }: HandlerContext, date: string): string =>
  date === today.date ? "today" : `on ${date}`;

export const habitComplete: Handler<"habit.complete"> = {
  stores: "more",
  rows: (input, acceptedAt) => [
    ...lockHabit(input),
    ...(input.note === undefined ? [] : completionRows(input, acceptedAt)),
  ],
  related: relatedToDay,
  current: currentHabit,
  run(context, { amount, note, ...input }) {
    const { now, amounts, completions } = context;
    const found = habitOnDay(context, input);
    if (isRefused(found)) return found;
    const { row, date } = found;
    if (row.skipped_dates.includes(date)) return conflicts.habitSkipped(whichDay(context, date));
    const isCompleted = isDoneOn(row, date);
    const day = addToDay({ sum: amounts.get(row.id, date), isCompleted }, row.target ?? null, amount);
    if (day === "already_completed")
      return note === undefined
        ? conflicts.habitCompleted(whichDay(context, date))
        : habitAnswer(context, noted(context, row, date, note));
    if (typeof day === "string") return refusals[day];
    if (note !== undefined && !day.isCompleted) return refusals.no_completion;
    const counted = writeSum(context, row, date, day.sum);
    if (isCompleted)
      return habitAnswer(context, note === undefined ? counted : noted(context, counted, date, note));
    if (!day.isCompleted) return habitAnswer(context, counted);
    completions.insert({ habit_id: row.id, local_date: date, completed_at: now, note: note ?? null });
    return habitAnswer(context, updateHistory(context, counted, completed(row, date, now)));
  },
};

/** Writes the note of a day that was completed before. */
function noted({ completions, habits, now }: HandlerContext, row: HabitRow, date: string, note: string) {
  const completion = completions.get(row.id, date);
  if (completion) completions.update(completion, { note });
  return habits.update(row, { updated_at: now });
}

const refuseAmount = (problem: string): Refused => invalid({ amount: [problem] });

const refusals: Readonly<Record<"no_target" | "too_much" | "no_completion", Refused>> = {
  no_target: refuseAmount("The amount field can only be given for a habit with a target."),
  too_much: refuseAmount(`The amount field must leave the day's sum at ${mostInDay} or less.`),
  no_completion: invalid({ note: ["The note field needs a completed day, and the amount leaves it open."] }),
};

export const habitUndo: Handler<"habit.undo"> = {
  rows: (input, acceptedAt) => [...lockHabit(input), ...completionRows(input, acceptedAt)],
  related: relatedToDay,
  current: currentHabit,
  run(context, input) {
    const { amounts, completions } = context;
    const found = habitOnDay(context, input);
    if (isRefused(found)) return found;
    const { row, date } = found;
    const isCompleted = isDoneOn(row, date);
    if (!isCompleted && !amounts.get(row.id, date))
      return conflicts.habitNotCompleted(whichDay(context, date));
    const emptied = writeSum(context, row, date, undefined);
    if (!isCompleted) return habitAnswer(context, emptied);
    completions.remove(row.id, date);
    return habitAnswer(context, updateHistory(context, emptied, withoutDone(row, date)));
  },
};

export const habitSkip: Handler<"habit.skip"> = {
  stores: "more",
  rows: lockHabit,
  related: relatedToHabit,
  current: currentHabit,
  run(context, input) {
    const found = habitOnDay(context, input, checkSkipDate);
    if (isRefused(found)) return found;
    const { row, date } = found;
    const day = whichDay(context, date);
    if (isDoneOn(row, date)) return conflicts.habitDayDone(day);
    if (row.skipped_dates.includes(date)) return conflicts.habitAlreadySkipped(day);
    if (isNeverDue(row, date)) return conflict(`Habit is not due ${day}`, "choose a day on which it is.");
    const skipped_dates = [...row.skipped_dates, date].sort();
    return habitAnswer(context, updateHistory(context, row, { skipped_dates }));
  },
};

/** True if no day like this is ever due. Other rhythms than weekdays decide only when the day comes. */
function isNeverDue(row: HabitRow, date: string): boolean {
  const rhythm = rhythmOf(row);
  const day = dayNumber(date);
  if ("weekdays" in rhythm && !rhythm.weekdays.includes(isoWeekday(day))) return true;
  return isFree(spansOf({ pauses: row.pauses, skipped_dates: [] }), day);
}

export const habitUnskip: Handler<"habit.unskip"> = {
  rows: lockHabit,
  related: relatedToHabit,
  current: currentHabit,
  run(context, input) {
    const found = habitOnDay(context, input, checkSkipDate);
    if (isRefused(found)) return found;
    const { row, date } = found;
    if (!row.skipped_dates.includes(date)) return conflicts.habitNotSkipped(whichDay(context, date));
    const skipped_dates = row.skipped_dates.filter((one) => one !== date);
    return habitAnswer(context, updateHistory(context, row, { skipped_dates }));
  },
};

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

/** Today is one of the latest days: after it come only those from which a change of zone moved today back. */
const daysThatMayBeToday = 4;

/** The habit knows which of its last days have a sum, so today costs no look-up without one. */
export function relatedToDay(loaded: OwnTables, input: OneDay): Related {
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
