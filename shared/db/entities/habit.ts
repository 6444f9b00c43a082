import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import type { Schedule } from "../../domain/schedule.ts";
import type { StreakState } from "../../domain/streak.ts";
import type { Frequency, HabitType } from "../../domain/vocabulary.ts";
import { date, id, owner, timeOfDay, timestamps, timestamptz } from "./columns.ts";

export const HabitEntity = defineEntity({
  name: "Habit",
  tableName: "habits",
  properties: {
    user_id: owner(),
    id: id(),
    name: p.text(),
    type: p.text().$type<HabitType>(),
    frequency: p.text().$type<Frequency>(),
    schedule: p.json().$type<Schedule>().nullable(),
    time_of_day: timeOfDay(),
    category_id: p.bigint("number").nullable(),
    description: p.text().nullable(),
    grace_days: p.integer(),
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
