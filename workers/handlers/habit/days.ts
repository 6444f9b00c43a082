import { mostInDay } from "../../../shared/contracts/habit/fields.ts";
import type { HabitRow } from "../../../shared/db/entities.ts";
import {
  habitAlreadySkipped,
  habitCompleted,
  habitDayDone,
  habitNotCompleted,
  habitNotSkipped,
  habitSkipped,
} from "../../../shared/domain/conflicts.ts";
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
import type { Handler, HandlerContext } from "../handler.ts";
import { addToDay, relatedToDay, writeSum } from "./amount.ts";
import { currentHabit, habitAnswer, lockHabit, relatedToHabit, updateHistory } from "./habit.ts";

type OneDay = Readonly<{ habit_id: number; date?: string | undefined }>;

const refuseDate = (demand: string): Refused => invalid({ date: [`The date field must be ${demand}.`] });

/** Refuses a day in the future, or too far back. */
function checkDate({ today }: HandlerContext, date: string | undefined): Refused | undefined {
  if (date === undefined) return undefined;
  if (addDays(today.date, -daysBack) <= date && date <= today.date) return undefined;
  return refuseDate(`today (${today.date}) or up to ${daysBack} days before it`);
}

/** Refuses a day that is too far ahead to skip, or too far back. */
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
    if (row.skipped_dates.includes(date)) return habitSkipped(whichDay(context, date));
    const isCompleted = isDoneOn(row, date);
    const day = addToDay({ sum: amounts.get(row.id, date), isCompleted }, row.target ?? null, amount);
    if (day === "already_completed")
      return note === undefined
        ? habitCompleted(whichDay(context, date))
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
    if (!isCompleted && !amounts.get(row.id, date)) return habitNotCompleted(whichDay(context, date));
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
    if (isDoneOn(row, date)) return habitDayDone(day);
    if (row.skipped_dates.includes(date)) return habitAlreadySkipped(day);
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
    if (!row.skipped_dates.includes(date)) return habitNotSkipped(whichDay(context, date));
    const skipped_dates = row.skipped_dates.filter((one) => one !== date);
    return habitAnswer(context, updateHistory(context, row, { skipped_dates }));
  },
};
