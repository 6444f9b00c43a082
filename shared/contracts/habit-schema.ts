import { Type } from "typebox";
import { frequencies, habitTypes } from "../domain/vocabulary.ts";
import { CategoryRef } from "./category-schema.ts";
import {
  CalendarDate,
  Clearable,
  Description,
  Id,
  Nullable,
  OneOf,
  TimeOfDayField,
  Timestamp,
  TodayFields,
  titled,
  WholeNumber,
} from "./fields.ts";

export const HabitTypeField = titled("HabitType", OneOf(habitTypes));
export const FrequencyField = titled("Frequency", OneOf(frequencies));
export const GraceDays = titled("GraceDays", WholeNumber(0, 30));
const exactly = { additionalProperties: false };

export const ScheduleField = titled(
  "Schedule",
  Type.Union(
    [
      titled("EveryDays", Type.Object({ every_days: Type.Integer({ minimum: 1, maximum: 365 }) }, exactly)),
      titled(
        "Weekdays",
        Type.Object(
          {
            weekdays: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
              minItems: 1,
              maxItems: 7,
              uniqueItems: true,
            }),
          },
          exactly,
        ),
      ),
      titled(
        "TimesPerWeek",
        Type.Object({ times_per_week: Type.Integer({ minimum: 1, maximum: 7 }) }, exactly),
      ),
    ],
    {
      expects:
        'one of {"every_days": 1 to 365}, {"weekdays": [1 to 7, Monday is 1]}, {"times_per_week": 1 to 7}',
    },
  ),
);

export const Habit = titled(
  "Habit",
  Type.Object({
    id: Id,
    name: Type.String(),
    type: HabitTypeField,
    frequency: FrequencyField,
    schedule: Nullable(ScheduleField),
    time_of_day: Nullable(TimeOfDayField),
    description: Nullable(Type.String()),
    streak_count: Type.Integer(),
    longest_streak: Type.Integer(),
    streak_alive_through: Nullable(CalendarDate),
    grace_days: Type.Integer(),
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

/** The fields that both create and update take. */
export const habitFields = {
  time_of_day: Clearable(TimeOfDayField),
  category_id: Clearable(Id),
  description: Clearable(Description),
  grace_days: Clearable(GraceDays),
  schedule: Clearable(ScheduleField),
};
