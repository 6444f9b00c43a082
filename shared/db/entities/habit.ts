import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import { habitFields } from "../../contracts/habit/fields.ts";
import type { Pause } from "../../domain/habit/free-days.ts";
import type { Edit } from "../../domain/habit/history.ts";
import {
  authors,
  columnsOf,
  date,
  delivery,
  formerCategory,
  id,
  owner,
  timestamps,
  timestamptz,
} from "./columns.ts";

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
    /** Completed dates that can be today, now or after a change of zone. */
    recent_dates: p.array().columnType("date[]"),
    /** Free days by pauses and skips; with a week schedule, whole weeks. */
    free_dates: p.string().columnType("datemultirange"),
    /** The sums of the last days. */
    recent_amounts: p.json().$type<Readonly<Record<string, number>>>(),
    // The history (shared/domain/habit/history.ts), from which the columns above are computed.
    done_from: date().nullable(),
    done_days: p.string().columnType("varbit"),
    edits: p.json().$type<readonly Edit[]>(),
    pauses: p.json().$type<readonly Pause[]>(),
    skipped_dates: p.array().columnType("date[]"),
    neutral_dates: p.array().columnType("date[]"),
    moved_to: date().nullable(),
    /** The next instant at which its reminder rings. */
    rings_at: timestamptz().nullable(),
    /** The last day on which it rang. */
    rang_on: date().nullable(),
    ...delivery,
    ...authors,
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
    note: p.text().nullable(),
  },
});

/**
 * A day's sum, where there is one. The day is completed exactly if the sum has reached the target of this row, which is 0
 * for a day that was ticked off without one. So a completion is there, and later targets change no past day.
 */
export const HabitAmountEntity = defineEntity({
  name: "HabitAmount",
  tableName: "habit_amounts",
  properties: {
    user_id: owner(),
    habit_id: p.bigint("number").primary(),
    local_date: date().primary(),
    amount: p.integer(),
    target: p.integer(),
    begun_at: timestamptz(),
  },
});

export type HabitAmountRow = InferEntity<typeof HabitAmountEntity>;
export type HabitRow = InferEntity<typeof HabitEntity>;
export type HabitCompletionRow = InferEntity<typeof HabitCompletionEntity>;
