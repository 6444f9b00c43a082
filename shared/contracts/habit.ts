import { Type } from "typebox";
import { command, query, tool } from "./contract.ts";
import { Description, Flag, Id, Name, Page, PageOf, TimeOfDayField, TodayFields } from "./fields.ts";
import { FrequencyField, GraceDays, Habit, HabitTypeField, habitFields } from "./habit-schema.ts";

const path = "/habits/{habit_id}";
const onlyId = Type.Object({ habit_id: Id });

export const listHabits = query({
  name: "habit.list",
  scopes: ["habits:read"],
  summary: "List habits",
  rest: [{ method: "GET", path: "/habits", status: 200 }],
  input: Type.Object({
    frequency: Type.Optional(FrequencyField),
    time_of_day: Type.Optional(TimeOfDayField),
    completed_today: Type.Optional(Flag),
    page: Type.Optional(Page),
  }),
  output: PageOf(Habit),
});

export const todayHabits = query({
  name: "habit.today",
  scopes: ["habits:read"],
  summary: "List the habits due today",
  mcp: tool({
    name: "get-today-habits",
    description: "List habits due today with streaks. A bad habit counts as done once avoided today.",
    destructive: false,
    idempotent: true,
    arguments: Type.Object({ time_of_day: Type.Optional(TimeOfDayField) }),
    toInput: (args) => args,
  }),
  input: Type.Object({ time_of_day: Type.Optional(TimeOfDayField) }),
  output: Type.Object({ ...TodayFields, habits: Type.Array(Habit) }),
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
  mcp: tool({
    name: "create-habit",
    description: "Create a daily habit. type bad: something to avoid; completing it means avoided today.",
    destructive: false,
    idempotent: false,
    arguments: Type.Object({
      name: Name,
      type: Type.Optional(HabitTypeField),
      time_of_day: Type.Optional(TimeOfDayField),
      category_id: Type.Optional(Id),
      description: Type.Optional(Description),
      grace_days: Type.Optional(GraceDays),
    }),
    toInput: ({ type = "good", ...fields }) => ({ ...fields, type, frequency: "daily" as const }),
  }),
  input: Type.Object({ name: Name, type: HabitTypeField, frequency: FrequencyField, ...habitFields }),
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
    type: Type.Optional(HabitTypeField),
    frequency: Type.Optional(FrequencyField),
    ...habitFields,
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
  mcp: tool({
    name: "complete-habit",
    description: "Mark a habit done for today and bump its streak. For a bad habit: avoided today.",
    destructive: true,
    idempotent: true,
    arguments: onlyId,
    toInput: (args) => args,
  }),
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
