import { conflict, isRefused, notFound, type Refused } from "../../../shared/errors.ts";
import { forUpdate } from "../../unit-of-work/row-request.ts";
import { relatedToDay } from "../habit/amount/rows.ts";
import { habitComplete } from "../habit/complete.ts";
import { lockHabit } from "../habit/rows.ts";
import { habitSkip } from "../habit/skip.ts";
import type { Handler } from "../handler.ts";
import { actOnce } from "./act-once.ts";

/** Carries out a link in a habit's reminder, once. */
export const habitAct: Handler<"habit.act"> = {
  stores: "more",
  rows: (input) => [...lockHabit(input), forUpdate("reminder_deliveries", input.delivery_id)],
  related: relatedToDay,
  run(context, { habit_id, delivery_id, act, date }) {
    const delivery = context.deliveries.get(delivery_id);
    if (!context.habits.get(habit_id) || delivery?.habit_id !== habit_id) return notFound("Habit");
    const { run } = act === "done" ? habitComplete : habitSkip;
    const answer = actOnce(context, delivery, act, () => run(context, { habit_id, date }));
    return isRefused(answer) && answer.refusal.code === "invalid" ? outOfReach(date) : answer;
  },
};

/** The person chose no date, so a refusal about the date would not help. */
const outOfReach = (date: string): Refused =>
  conflict(
    `The day of this reminder, ${date}, cannot be changed now`,
    "see the habit's page for days that can.",
  );
