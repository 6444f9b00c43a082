import { Type } from "typebox";
import { habitCompleted, habitNotCompleted } from "../../domain/conflicts.ts";
import { command } from "../kernel/contract.ts";
import { CalendarDate, Flag, Id } from "../kernel/fields.ts";
import { tool } from "../kernel/tool.ts";
import { argument, type SentArguments } from "../kernel/tool-sentence.ts";
import { habitExamples } from "./examples.ts";
import { completedHabit, undoneHabit } from "./result.ts";
import { Habit } from "./schema.ts";

const path = "/habits/{habit_id}/complete";
/** Without a date it is today. */
const oneDay = Type.Object({ habit_id: Id, date: Type.Optional(CalendarDate) });

export const completeHabit = command({
  name: "habit.complete",
  resource: "Habit",
  scopes: ["habits:write"],
  summary: "Mark a habit completed, today or on a date up to seven days back; for a bad habit: avoided today",
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
      "Mark a habit done today, or on date (up to 7 days back), and bump its streak; undo takes that back. For a bad habit: avoided today.",
    destructive: true,
    idempotent: true,
    arguments: Type.Object({ ...oneDay.properties, undo: Type.Optional(Flag) }),
    toInput: ({ undo: _, ...input }) => input,
    result: completedHabit,
    instead: { command: "habit.undo", when: asksForUndo, result: undoneHabit },
  }),
  dayField: "date",
  input: oneDay,
  output: Habit,
});

export const undoHabit = command({
  name: "habit.undo",
  resource: "Habit",
  scopes: ["habits:write"],
  summary:
    "Undo the completion of today or of a date up to seven days back; the streak becomes what it would be without it",
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

function asksForUndo(args: SentArguments): boolean {
  return argument(args, "undo") === true;
}
