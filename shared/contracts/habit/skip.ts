import { Type } from "typebox";
import { habitDayDone, habitNotSkipped } from "../../domain/conflicts.ts";
import { command } from "../kernel/contract.ts";
import { CalendarDate, Flag, Id } from "../kernel/fields.ts";
import { form } from "../kernel/tool.ts";
import { habitExamples } from "./examples.ts";
import { HabitDayFacts } from "./facts.ts";
import { skippedHabit, unskippedHabit } from "./result.ts";
import { Habit } from "./schema.ts";

const path = "/habits/{habit_id}/skip";
/** Without a date it is today. */
const oneDay = Type.Object({ habit_id: Id, date: Type.Optional(CalendarDate) });

/** The forms of complete-habit that skip a day and undo a skip. */
export const skipping = form({
  command: "habit.skip",
  by: "skip",
  arguments: Type.Object({ ...oneDay.properties, skip: Flag }),
  toInput: ({ skip: _, ...input }) => input,
  facts: HabitDayFacts,
  result: skippedHabit,
});
export const takingSkipBack = form({
  command: "habit.unskip",
  by: "skip",
  and: "undo",
  arguments: Type.Object({ ...oneDay.properties, skip: Flag, undo: Flag }),
  toInput: ({ skip: _, undo: __, ...input }) => input,
  facts: HabitDayFacts,
  result: unskippedHabit,
});

export const skipHabit = command({
  name: "habit.skip",
  resource: "Habit",
  scopes: ["habits:write"],
  summary:
    "Skip a day, or its week: nothing is asked and the streak stays; today, up to 366 days back or 30 ahead",
  conflict: habitDayDone(),
  rest: [{ operationId: "skipHabitDay", method: "POST", path, status: 200, example: habitExamples.skip }],
  dayField: "date",
  input: oneDay,
  output: Habit,
});

export const takeSkipBack = command({
  name: "habit.unskip",
  resource: "Habit",
  scopes: ["habits:write"],
  summary: "Take back the skip of today or of another day; the streak becomes what it would be without it",
  conflict: habitNotSkipped(),
  rest: [
    {
      operationId: "takeHabitSkipBack",
      method: "DELETE",
      path,
      status: 200,
      example: habitExamples.takeSkipBack,
    },
  ],
  dayField: "date",
  input: oneDay,
  output: Habit,
});
