import { type Static, Type } from "typebox";
import { checkOneCategory } from "../category/name.ts";
import { command } from "../kernel/contract.ts";
import { schemasOf } from "../kernel/declared-fields.ts";
import { Description, Id, Name, TimeOfDayField } from "../kernel/fields.ts";
import { tool } from "../kernel/tool.ts";
import { habitExamples } from "./examples.ts";
import { GraceDays, HabitTypeField, habitFields } from "./fields.ts";
import { oneHabit } from "./result.ts";
import { Habit } from "./schema.ts";

const path = "/habits/{habit_id}";
const onlyId = Type.Object({ habit_id: Id });

const onlyDaily = [
  {
    reason: "This tool makes daily habits",
    next: "others are made over REST, with POST /api/v1/habits.",
  },
];

export const createHabit = command({
  name: "habit.create",
  scopes: ["habits:write"],
  summary: "Create a habit; a bad habit is completed by having avoided it that day",
  rest: [
    {
      operationId: "createHabit",
      method: "POST",
      path: "/habits",
      status: 201,
      example: habitExamples.create,
    },
  ],
  mcp: tool({
    name: "create-habit",
    title: "Create habit",
    description: "Create a daily habit. type bad: something to avoid; completing it means avoided today.",
    destructive: false,
    idempotent: false,
    arguments: Type.Object({
      name: Name,
      type: Type.Optional(HabitTypeField),
      time_of_day: Type.Optional(TimeOfDayField),
      category: Type.Optional(Name),
      category_id: Type.Optional(Id),
      description: Type.Optional(Description),
      grace_days: Type.Optional(GraceDays),
    }),
    elsewhere: { frequency: onlyDaily, schedule: onlyDaily },
    refine: checkOneCategory,
    toInput: ({ type = "good", ...fields }) => ({ ...fields, type, frequency: "daily" as const }),
    result: (habit: Static<typeof Habit>) => oneHabit("Created", habit),
  }),
  toolOnly: ["category"],
  input: Type.Object({ ...schemasOf(habitFields, "create"), category: Type.Optional(Name) }),
  output: Habit,
});

export const updateHabit = command({
  name: "habit.update",
  resource: "Habit",
  scopes: ["habits:write"],
  summary: "Change a habit; a new rhythm looks forward only and never breaks or revives a streak",
  rest: [
    {
      operationId: "replaceHabit",
      method: "PUT",
      path,
      status: 200,
      required: ["name", "type", "frequency"],
      example: habitExamples.replace,
    },
    { operationId: "updateHabit", method: "PATCH", path, status: 200, example: habitExamples.change },
  ],
  input: Type.Object({ habit_id: Id, ...schemasOf(habitFields, "update") }),
  output: Habit,
});

export const deleteHabit = command({
  name: "habit.delete",
  resource: "Habit",
  scopes: ["habits:write"],
  summary: "Delete a habit and its completions",
  rest: [{ operationId: "deleteHabit", method: "DELETE", path, status: 204, example: habitExamples.remove }],
  input: onlyId,
  output: Type.Null(),
});
