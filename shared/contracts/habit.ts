import { type Static, Type } from "typebox";
import { command, query } from "./contract.ts";
import { Description, Flag, Id, Name, Page, PageOf, TimeOfDayField, TodayFields } from "./fields.ts";
import { habitExamples } from "./habit-examples.ts";
import { dueHabits, oneHabit } from "./habit-result.ts";
import { FrequencyField, GraceDays, Habit, HabitTypeField, habitFields } from "./habit-schema.ts";
import { queryTool, tool } from "./tool.ts";
import { argument, type Phrase, quoted, quotedAfter, type SentArguments, said } from "./tool-sentence.ts";

const path = "/habits/{habit_id}";
const onlyId = Type.Object({ habit_id: Id });
const onlyTimeOfDay = Type.Object({ time_of_day: Type.Optional(TimeOfDayField) });
const DueHabits = Type.Object({ ...TodayFields, habits: Type.Array(Habit) });

export const listHabits = query({
  name: "habit.list",
  scopes: ["habits:read"],
  summary: "List habits",
  rest: [
    { operationId: "listHabits", method: "GET", path: "/habits", status: 200, example: habitExamples.list },
  ],
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
  mcp: queryTool({
    name: "get-today-habits",
    title: "Today's habits",
    description: "List habits due today with streaks. A bad habit counts as done once avoided today.",
    destructive: false,
    idempotent: true,
    arguments: onlyTimeOfDay,
    toInput: (args) => args,
    result: ({ habits }: Static<typeof DueHabits>) => dueHabits(habits),
    sentence: (args) => said("Looked at", "look at", "the habits due today", ...timeOfDayIn(args)),
  }),
  input: onlyTimeOfDay,
  output: DueHabits,
});

export const getHabit = query({
  name: "habit.get",
  resource: "Habit",
  scopes: ["habits:read"],
  summary: "View a habit",
  rest: [{ operationId: "getHabit", method: "GET", path, status: 200, example: habitExamples.get }],
  input: onlyId,
  output: Habit,
});

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
      category_id: Type.Optional(Id),
      description: Type.Optional(Description),
      grace_days: Type.Optional(GraceDays),
    }),
    toInput: ({ type = "good", ...fields }) => ({ ...fields, type, frequency: "daily" as const }),
    result: (habit: Static<typeof Habit>) => oneHabit("Created", habit),
    sentence: (args) =>
      said(
        "Created",
        "create",
        "the habit ",
        quoted(args, "name"),
        argument(args, "type") === "bad" ? ", to avoid" : "",
      ),
  }),
  input: Type.Object({ name: Name, type: HabitTypeField, frequency: FrequencyField, ...habitFields }),
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
  resource: "Habit",
  scopes: ["habits:write"],
  summary: "Delete a habit and its completions",
  rest: [{ operationId: "deleteHabit", method: "DELETE", path, status: 204, example: habitExamples.remove }],
  input: onlyId,
  output: Type.Null(),
});

function timeOfDayIn(args: SentArguments): readonly Phrase[] {
  const known = TimeOfDayField.enum.find((time) => time === argument(args, "time_of_day"));
  return known ? [`, ${known}`] : quotedAfter(", ", args, "time_of_day");
}
