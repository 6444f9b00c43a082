import { Type } from "typebox";
import { query, route } from "../kernel/contract.ts";
import {
  CalendarDate,
  Flag,
  Id,
  Nullable,
  OneOf,
  Page,
  PageOf,
  SearchText,
  TimeOfDayField,
  Timestamp,
  titled,
  titledObject,
} from "../kernel/fields.ts";
import { exampleAmounts, exampleCompletions, habitExamples } from "./examples.ts";
import { CompletionNote, FrequencyField, Habit, TodayHabits } from "./fields.ts";
import { checkPeriodOfDays, checkToday, daysOfHabit, mostCompletionDays, TodayFilters } from "./filters.ts";

export const listHabits = query({
  name: "habit.list",
  scopes: ["habits:read"],
  summary: "List or search habits",
  rest: [route("listHabits", "GET", "/habits", habitExamples.list)],
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
  rest: [route("getHabit", "GET", "/habits/{habit_id}", habitExamples.get)],
  input: Type.Object({ habit_id: Id }),
  output: Habit,
});

const HabitCompletions = titledObject("HabitCompletions", {
  data: Type.Array(
    titledObject("HabitCompletion", {
      date: CalendarDate,
      completed_at: Timestamp,
      note: Nullable(CompletionNote),
    }),
  ),
});

export const listCompletions = query({
  name: "habit.completions",
  resource: "Habit",
  scopes: ["habits:read"],
  summary: `List the days on which a habit was completed, newest first: at most ${mostCompletionDays} days, by default the last ones`,
  rest: [route("listHabitCompletions", "GET", "/habits/{habit_id}/completions", exampleCompletions)],
  input: daysOfHabit,
  output: HabitCompletions,
  refine: checkPeriodOfDays,
});

const HabitAmounts = titledObject("HabitAmounts", {
  data: Type.Array(
    titledObject("HabitAmount", {
      date: CalendarDate,
      amount: Type.Number(),
      target: Type.Number({
        description: "By which the day counts; 0 for one that was ticked off without",
      }),
    }),
  ),
});

export const listAmounts = query({
  name: "habit.amounts",
  resource: "Habit",
  scopes: ["habits:read"],
  summary: `List the amounts of a habit by day, newest first: at most ${mostCompletionDays} days, by default the last ones`,
  rest: [route("listHabitAmounts", "GET", "/habits/{habit_id}/amounts", exampleAmounts)],
  input: daysOfHabit,
  output: HabitAmounts,
  refine: checkPeriodOfDays,
});
