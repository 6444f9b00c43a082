import { Type } from "typebox";
import { CategoryRef } from "./category.ts";
import { command, query } from "./contract.ts";
import {
  Clearable,
  Description,
  Flag,
  Id,
  Name,
  Nullable,
  OneOf,
  Page,
  PageOf,
  TimeOfDay,
  Timestamp,
  WholeNumber,
} from "./fields.ts";

const HabitType = OneOf(["good", "bad"]);
const Frequency = OneOf(["daily", "weekly", "custom"]);
const exactly = { additionalProperties: false };

export const ScheduleField = Type.Union(
  [
    Type.Object({ every_days: Type.Integer({ minimum: 1, maximum: 365 }) }, exactly),
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
    Type.Object({ times_per_week: Type.Integer({ minimum: 1, maximum: 7 }) }, exactly),
  ],
  {
    expects:
      'one of {"every_days": 1 to 365}, {"weekdays": [1 to 7, Monday is 1]}, {"times_per_week": 1 to 7}',
  },
);

export const Habit = Type.Object({
  id: Id,
  name: Type.String(),
  type: HabitType,
  frequency: Frequency,
  schedule: Nullable(ScheduleField),
  time_of_day: Nullable(TimeOfDay),
  description: Nullable(Type.String()),
  streak_count: Type.Integer(),
  longest_streak: Type.Integer(),
  streak_alive_through: Nullable(Type.String({ format: "date" })),
  grace_days: Type.Integer(),
  is_completed_today: Type.Boolean(),
  completions_count: Type.Integer(),
  category: Nullable(CategoryRef),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const fields = {
  time_of_day: Clearable(TimeOfDay),
  category_id: Clearable(Id),
  description: Clearable(Description),
  grace_days: Clearable(WholeNumber(0, 30)),
  schedule: Clearable(ScheduleField),
};
const path = "/habits/{habit_id}";
const onlyId = Type.Object({ habit_id: Id });

export const listHabits = query({
  name: "habit.list",
  scopes: ["habits:read"],
  summary: "List habits",
  rest: [{ method: "GET", path: "/habits", status: 200 }],
  input: Type.Object({
    frequency: Type.Optional(Frequency),
    time_of_day: Type.Optional(TimeOfDay),
    completed_today: Type.Optional(Flag),
    page: Type.Optional(Page),
  }),
  output: PageOf(Habit),
});

export const getHabit = query({
  name: "habit.get",
  scopes: ["habits:read"],
  summary: "View a habit",
  rest: [{ method: "GET", path, status: 200 }],
  input: onlyId,
  output: Habit,
});

export const createHabit = command({
  name: "habit.create",
  scopes: ["habits:write"],
  summary: "Create a habit; a bad habit is completed by having avoided it that day",
  rest: [{ method: "POST", path: "/habits", status: 201 }],
  input: Type.Object({ name: Name, type: HabitType, frequency: Frequency, ...fields }),
  output: Habit,
});

export const updateHabit = command({
  name: "habit.update",
  scopes: ["habits:write"],
  summary: "Change a habit; a new rhythm looks forward only and never breaks or revives a streak",
  rest: [
    { method: "PUT", path, status: 200, required: ["name", "type", "frequency"] },
    { method: "PATCH", path, status: 200 },
  ],
  input: Type.Object({
    habit_id: Id,
    name: Type.Optional(Name),
    type: Type.Optional(HabitType),
    frequency: Type.Optional(Frequency),
    ...fields,
  }),
  output: Habit,
});

export const deleteHabit = command({
  name: "habit.delete",
  scopes: ["habits:write"],
  summary: "Delete a habit and its completions",
  rest: [{ method: "DELETE", path, status: 204 }],
  input: onlyId,
  output: Type.Null(),
});

export const completeHabit = command({
  name: "habit.complete",
  scopes: ["habits:write"],
  summary: "Mark a habit completed today; for a bad habit: avoided today",
  rest: [{ method: "POST", path: `${path}/complete`, status: 200 }],
  input: onlyId,
  output: Habit,
});

export const undoHabit = command({
  name: "habit.undo",
  scopes: ["habits:write"],
  summary: "Undo today's completion; streak and longest streak become what they were before it",
  rest: [{ method: "DELETE", path: `${path}/complete`, status: 200 }],
  input: onlyId,
  output: Habit,
});
