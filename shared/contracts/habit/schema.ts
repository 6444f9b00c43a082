import { Type } from "typebox";
import { CategoryRef } from "../category/schema.ts";
import { schemasOf } from "../kernel/declared-fields.ts";
import {
  CalendarDate,
  ChooseChannelAt,
  Id,
  Nullable,
  Reach,
  Timestamp,
  TodayFields,
  titled,
  WrittenBy,
} from "../kernel/fields.ts";
import { habitFields } from "./fields.ts";

const {
  name,
  type,
  frequency,
  schedule,
  time_of_day,
  category_id: _,
  remind_at,
  description,
  grace_days,
  ...others
} = schemasOf(habitFields, "shown");

const DayAmount = titled("DayAmount", Type.Object({ date: CalendarDate, amount: Type.Integer() }));

export const Habit = titled(
  "Habit",
  Type.Object({
    id: Id,
    name,
    type,
    frequency,
    schedule,
    time_of_day,
    remind_at,
    /** The destination of its reminders; null without one. */
    reaches: Nullable(Reach),
    choose_channel_at: ChooseChannelAt,
    description,
    ...others,
    streak_count: Type.Integer(),
    longest_streak: Type.Integer(),
    streak_alive_through: Nullable(CalendarDate),
    grace_days,
    skipped_dates: Type.Array(CalendarDate),
    is_completed_today: Type.Boolean(),
    /** Null for a habit without a target. */
    amount_today: Nullable(Type.Integer()),
    /** The sums of today and of the days that can still change, the newest first. */
    recent_amounts: Type.Array(DayAmount),
    completions_count: Type.Integer(),
    written_by: WrittenBy,
    category: Nullable(CategoryRef),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);

/** A habit beside its day and week, as agents see it. */
export const HabitOfWeek = Type.Object({
  ...Habit.properties,
  /** Absent if the list has only due habits. */
  is_due_today: Type.Optional(Type.Boolean()),
  /** Null for a habit without a number of times a week. */
  week_progress: Nullable(Type.Object({ done: Type.Integer(), target: Type.Integer() })),
  /** The misses that its streak still forgives; absent as above, and if it has no streak. */
  grace_left: Type.Optional(Type.Integer()),
  ends_tonight: Type.Boolean(),
  /** Days of the requested period on which it was done. */
  done_days: Type.Optional(Type.Array(CalendarDate)),
  /** The sums of its days; absent for a habit without a target. */
  day_amounts: Type.Optional(Type.Array(DayAmount)),
});

export const TodayHabits = Type.Object({
  ...TodayFields,
  habits: Type.Array(HabitOfWeek),
  total: Type.Integer(),
  /** Present if a period was requested, with its real ends. */
  period: Type.Optional(Type.Object({ from: CalendarDate, to: CalendarDate })),
  next_cursor: Nullable(Type.Integer()),
});
