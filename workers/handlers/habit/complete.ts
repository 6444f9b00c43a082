import { mostInDay } from "../../../shared/contracts/habit/fields.ts";
import type { HabitRow } from "../../../shared/db/entities.ts";
import { habitCompleted, habitSkipped } from "../../../shared/domain/conflicts.ts";
import { completed, isDoneOn } from "../../../shared/domain/habit/history.ts";
import { invalid, isRefused, type Refused } from "../../../shared/errors.ts";
import type { Handler, HandlerContext } from "../handler.ts";
import { addToDay } from "./amount/day-sum.ts";
import { relatedToDay, writeSum } from "./amount/rows.ts";
import { completionRows, habitOnDay, whichDay } from "./completion-day.ts";
import { currentHabit, habitAnswer, lockHabit, updateHistory } from "./rows.ts";

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
    return habitAnswer(context, updateHistory(context, counted, completed(row, date)));
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
