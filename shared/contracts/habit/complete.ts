import { Type } from "typebox";
import { habitCompleted, habitNotCompleted } from "../../domain/conflicts.ts";
import { command } from "../kernel/contract.ts";
import { CalendarDate, Flag, Id } from "../kernel/fields.ts";
import { form, tool } from "../kernel/tool.ts";
import { changingHabit, deletingHabit, unlikeHabits } from "./changes.ts";
import { habitExamples } from "./examples.ts";
import { HabitDayFacts } from "./facts.ts";
import { Amount, CompletionNote } from "./fields.ts";
import { completedHabit, undoneHabit } from "./result.ts";
import { Habit } from "./schema.ts";
import { skipping, takingSkipBack } from "./skip.ts";

const path = "/habits/{habit_id}/complete";
/** Without a date it is today. */
const oneDay = Type.Object({ habit_id: Id, date: Type.Optional(CalendarDate) });

/** Without an amount the day is filled up to the habit's target. */
const withAmount = Type.Object({ ...oneDay.properties, amount: Type.Optional(Amount) });

/** A note belongs to a completed day, and replaces the one that it had. */
const withNote = Type.Object({ ...withAmount.properties, note: Type.Optional(CompletionNote) });

const takingBack = form({
  command: "habit.undo",
  by: "undo",
  arguments: Type.Object({ ...oneDay.properties, undo: Flag }),
  toInput: ({ undo: _, ...input }) => input,
  facts: HabitDayFacts,
  result: undoneHabit,
});

export const completeHabit = command({
  name: "habit.complete",
  resource: "Habit",
  scopes: ["habits:write"],
  summary: "Mark a habit completed, today or on one of the 366 days before; for a bad habit: avoided today",
  conflict: habitCompleted(),
  rest: [
    {
      operationId: "completeHabit",
      method: "POST",
      path,
      status: 200,
      example: habitExamples.complete,
    },
  ],
  mcp: tool({
    name: "complete-habit",
    title: "Complete habit",
    description:
      "Mark habits done today, or on dates (up to 366 days back), and bump their streaks; amount only adds to the day; undo takes that back. For a bad habit: avoided today. skip leaves days out, also to come, and keeps the streak; with undo not any more. set changes habits instead (arguments of create-habit; clear lists names to empty), delete removes them for good.",
    destructive: true,
    // An amount is added each time.
    idempotent: false,
    arguments: withAmount,
    elsewhere: unlikeHabits,
    toInput: (args) => args,
    facts: HabitDayFacts,
    result: completedHabit,
    many: { habit_ids: "habit_id", dates: "date" },
    forms: [deletingHabit, changingHabit, takingSkipBack, skipping, takingBack],
  }),
  dayField: "date",
  input: withNote,
  output: Habit,
});

export const undoHabit = command({
  name: "habit.undo",
  resource: "Habit",
  scopes: ["habits:write"],
  summary:
    "Undo the completion of today or of one of the 366 days before; the streak becomes what it would be without it",
  conflict: habitNotCompleted(),
  rest: [
    {
      operationId: "undoHabitCompletion",
      method: "DELETE",
      path,
      status: 200,
      example: habitExamples.undo,
    },
  ],
  dayField: "date",
  input: oneDay,
  output: Habit,
});
