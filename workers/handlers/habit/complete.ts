import { mostInDay } from "../../../shared/contracts/habit/fields.ts";
import { habitCompleted, habitSkipped } from "../../../shared/domain/conflicts.ts";
import { complete } from "../../../shared/domain/habit/streak.ts";
import { invalid, isRefused, type Refused } from "../../../shared/errors.ts";
import type { Handler } from "../handler.ts";
import { addToDay } from "./amount/day-sum.ts";
import { relatedToDay, writeSum } from "./amount/rows.ts";
import { habitOnDay, whichDay } from "./completion-day.ts";
import { currentHabit, habitAnswer, lockHabit, updateStreak } from "./rows.ts";
import { rulesOf } from "./rules.ts";

export const habitComplete: Handler<"habit.complete"> = {
  stores: "more",
  rows: lockHabit,
  related: relatedToDay,
  current: currentHabit,
  run(context, { amount, ...input }) {
    const { today, now, amounts, completions } = context;
    const found = habitOnDay(context, input);
    if (isRefused(found)) return found;
    const { row, date } = found;
    const streak = complete(row.streak_state, rulesOf(row), date, today.date);
    if (streak === "skipped") return habitSkipped(whichDay(context, date));
    const isCompleted = streak === "already_completed";
    const day = addToDay({ sum: amounts.get(row.id, date), isCompleted }, row.target ?? null, amount);
    if (day === "already_completed") return habitCompleted(whichDay(context, date));
    if (typeof day === "string") return refusals[day];
    const counted = writeSum(context, row, date, day.sum);
    if (isCompleted || !day.isCompleted) return habitAnswer(context, counted);
    completions.insert({ habit_id: row.id, local_date: date, completed_at: now });
    return habitAnswer(context, updateStreak(context, counted, streak, row.completions_count + 1));
  },
};

const refuseAmount = (problem: string): Refused => invalid({ amount: [problem] });

const refusals: Readonly<Record<"no_target" | "too_much", Refused>> = {
  no_target: refuseAmount("The amount field can only be given for a habit with a target."),
  too_much: refuseAmount(`The amount field must leave the day's sum at ${mostInDay} or less.`),
};
