import { Type } from "typebox";
import { CategoryRef } from "../category/schema.ts";
import { schemasOf } from "../kernel/declared-fields.ts";
import { CalendarDate, Id, Nullable, Timestamp, TodayFields, titled } from "../kernel/fields.ts";
import { habitFields } from "./fields.ts";

const {
  name,
  type,
  frequency,
  schedule,
  time_of_day,
  category_id: _,
  description,
  grace_days,
  ...others
} = schemasOf(habitFields, "shown");

export const Habit = titled(
  "Habit",
  Type.Object({
    id: Id,
    name,
    type,
    frequency,
    schedule,
    time_of_day,
    description,
    ...others,
    streak_count: Type.Integer(),
    longest_streak: Type.Integer(),
    streak_alive_through: Nullable(CalendarDate),
    grace_days,
    is_completed_today: Type.Boolean(),
    completions_count: Type.Integer(),
    category: Nullable(CategoryRef),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);

/** A habit beside its day and week, as agents see it. */
export const HabitOfWeek = Type.Object({
  ...Habit.properties,
  /** Absent where only habits that are due were asked for. */
  is_due_today: Type.Optional(Type.Boolean()),
  /** Null for a habit that no week asks for a number of times. */
  week_progress: Nullable(Type.Object({ done: Type.Integer(), target: Type.Integer() })),
});

export const TodayHabits = Type.Object({
  ...TodayFields,
  habits: Type.Array(HabitOfWeek),
  total: Type.Integer(),
});
