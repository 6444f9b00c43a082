import { type Static, Type } from "typebox";
import { categoryNameFields, categoryNameScopes, checkOneCategory } from "../category/name.ts";
import { command } from "../kernel/contract.ts";
import { schemasOf } from "../kernel/declared-fields.ts";
import { Id, Name, Nullable } from "../kernel/fields.ts";
import { tool } from "../kernel/tool.ts";
import { frequencyOf, habitArguments } from "./changes.ts";
import { habitExamples } from "./examples.ts";
import { OneHabitFacts } from "./facts.ts";
import { HabitTypeField, habitFields } from "./fields.ts";
import { oneHabit } from "./result.ts";
import { Habit } from "./schema.ts";

const path = "/habits/{habit_id}";
const onlyId = Type.Object({ habit_id: Id });
const toolNames = Object.keys(categoryNameFields);

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
    description:
      "Create a habit, daily unless told otherwise. target: amount a day. type bad: something to avoid; completing it means avoided today.",
    destructive: false,
    idempotent: false,
    arguments: Type.Object({ ...habitArguments, name: Name }),
    refine: checkOneCategory,
    toInput: ({ type = "good", ...fields }) => ({ frequency: frequencyOf(fields), ...fields, type }),
    facts: OneHabitFacts,
    result: (habit: Static<typeof Habit>) => oneHabit("Created", habit),
  }),
  toolOnly: toolNames,
  fieldScopes: categoryNameScopes,
  input: Type.Object({ ...schemasOf(habitFields, "create"), ...categoryNameFields }),
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
  toolOnly: toolNames,
  fieldScopes: categoryNameScopes,
  input: Type.Object({ habit_id: Id, ...schemasOf(habitFields, "update"), ...categoryNameFields }),
  output: Habit,
});

export const deleteHabit = command({
  name: "habit.delete",
  resource: "Habit",
  scopes: ["habits:write"],
  summary: "Delete a habit and its completions",
  rest: [{ operationId: "deleteHabit", method: "DELETE", path, status: 204, example: habitExamples.remove }],
  input: onlyId,
  // For tools. REST answers without content.
  output: Nullable(Type.Object({ id: Id, name: Name, type: HabitTypeField })),
});
