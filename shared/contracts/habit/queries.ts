import { Type } from "typebox";
import { query } from "../kernel/contract.ts";
import { Flag, Id, OneOf, Page, PageOf, SearchText, TimeOfDayField, titled } from "../kernel/fields.ts";
import { queryTool } from "../kernel/tool.ts";
import { habitExamples } from "./examples.ts";
import { DueHabitsFacts } from "./facts.ts";
import { FrequencyField } from "./fields.ts";
import { dueHabits, habitOverview } from "./result.ts";
import { Habit, TodayHabits } from "./schema.ts";
import { checkToday, TodayFilters } from "./today.ts";

export const listHabits = query({
  name: "habit.list",
  scopes: ["habits:read"],
  summary: "List or search habits",
  rest: [
    { operationId: "listHabits", method: "GET", path: "/habits", status: 200, example: habitExamples.list },
  ],
  input: Type.Object({
    q: Type.Optional(SearchText),
    frequency: Type.Optional(FrequencyField),
    time_of_day: Type.Optional(TimeOfDayField),
    category_id: Type.Optional(Id),
    due: Type.Optional(titled("HabitDue", OneOf(["today"]))),
    completed_today: Type.Optional(Flag),
    page: Type.Optional(Page),
  }),
  searchField: "q",
  output: PageOf(Habit),
});

export const todayHabits = query({
  name: "habit.today",
  scopes: ["habits:read"],
  summary: "List the habits due today, or all of them, with their week and past days",
  mcp: queryTool({
    name: "get-today-habits",
    title: "Today's habits",
    description:
      "List habits due today, or all, with streaks; query and from look at all. from and to add the days each was done. A bad habit counts as done once avoided today.",
    destructive: false,
    idempotent: true,
    arguments: TodayFilters,
    toInput: (args) => args,
    facts: DueHabitsFacts,
    result: dueHabits,
    looksAt: "the habits",
  }),
  input: TodayFilters,
  searchField: "query",
  output: TodayHabits,
  refine: checkToday,
});

export const getHabit = query({
  name: "habit.get",
  resource: "Habit",
  scopes: ["habits:read"],
  summary: "View a habit",
  rest: [
    {
      operationId: "getHabit",
      method: "GET",
      path: "/habits/{habit_id}",
      status: 200,
      example: habitExamples.get,
    },
  ],
  mcpResource: {
    uri: "kept://habits/{id}",
    idField: "habit_id",
    name: "habit",
    title: "Habit",
    description: "One habit with its streak; get-today-habits lists ids",
    lines: habitOverview,
    looksAt: "the habit",
  },
  input: Type.Object({ habit_id: Id }),
  output: Habit,
});
