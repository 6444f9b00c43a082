import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { habitFields } from "../../contracts/habit/fields.ts";
import type { StreakState } from "../../domain/habit/streak.ts";
import { columnsOf, date, formerCategory, id, owner, timestamps, timestamptz } from "./columns.ts";

export const HabitEntity = defineEntity({
  name: "Habit",
  tableName: "habits",
  properties: {
    user_id: owner(),
    id: id(),
    ...columnsOf(habitFields),
    ...formerCategory,
    completions_count: p.integer(),
    /** Valid until the end of `streak_alive_through`; after that day the streak is 0. */
    streak: p.integer(),
    streak_alive_through: date().nullable(),
    longest_streak: p.integer(),
    next_due: date().nullable(),
    /** The completed dates that can still be today, now or after a time-zone change. */
    recent_dates: p.array().columnType("date[]"),
    streak_state: p.json().$type<StreakState>(),
    ...timestamps,
  },
});

export const HabitCompletionEntity = defineEntity({
  name: "HabitCompletion",
  tableName: "habit_completions",
  properties: {
    user_id: owner(),
    habit_id: p.bigint("number").primary(),
    local_date: date().primary(),
    completed_at: timestamptz(),
  },
});

export type HabitRow = InferEntity<typeof HabitEntity>;
export type HabitCompletionRow = InferEntity<typeof HabitCompletionEntity>;
