import { type Static, Type } from "typebox";
import { habitCompleted, habitNotCompleted } from "../../domain/conflicts.ts";
import { habitActs } from "../../domain/reminder/link.ts";
import { categoryNameFields, categoryNameScopes, checkOneCategory } from "../category/name.ts";
import { command, query } from "../kernel/contract.ts";
import { schemasOf } from "../kernel/declared-fields.ts";
import { CalendarDate, Flag, Id, Name, Nullable, OneOf, titled } from "../kernel/fields.ts";
import { form, tool } from "../kernel/tool.ts";
import { changingHabit, deletingHabit, frequencyOf, habitArguments, unlikeHabits } from "./changes.ts";
import { checkPeriodOfDays, daysOfHabit, mostCompletionDays } from "./completions.ts";
import { exampleAmounts, habitExamples } from "./examples.ts";
import { HabitDayFacts, OneHabitFacts } from "./facts.ts";
import { Amount, CompletionNote, HabitTypeField, habitFields } from "./fields.ts";
import { completedHabit, oneHabit, undoneHabit } from "./result.ts";
import { Habit } from "./schema.ts";
import { skipping, takingSkipBack } from "./skip.ts";

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

const dayPath = "/habits/{habit_id}/complete";
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
      path: dayPath,
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
      path: dayPath,
      status: 200,
      example: habitExamples.undo,
    },
  ],
  dayField: "date",
  input: oneDay,
  output: Habit,
});

const HabitAmounts = titled(
  "HabitAmounts",
  Type.Object({
    data: Type.Array(
      titled(
        "HabitAmount",
        Type.Object({
          date: CalendarDate,
          amount: Type.Integer(),
          target: Type.Integer({
            description: "By which the day counts; 0 for one that was ticked off without",
          }),
        }),
      ),
    ),
  }),
);

export const listAmounts = query({
  name: "habit.amounts",
  resource: "Habit",
  scopes: ["habits:read"],
  summary: `List the amounts of a habit by day, newest first: at most ${mostCompletionDays} days, by default the last ones`,
  rest: [
    {
      operationId: "listHabitAmounts",
      method: "GET",
      path: "/habits/{habit_id}/amounts",
      status: 200,
      example: exampleAmounts,
    },
  ],
  input: daysOfHabit,
  output: HabitAmounts,
  refine: checkPeriodOfDays,
});

/** Only links in reminders use it. It has a scope, because a change of a habit is logged and can be undone. */
export const actOnHabit = command({
  name: "habit.act",
  scopes: ["habits:write"],
  summary: "Do what a link in a habit's reminder offers, once, for the day of the reminder",
  conflict: habitCompleted(),
  input: Type.Object({
    habit_id: Id,
    delivery_id: Type.String({ format: "uuid" }),
    act: OneOf(habitActs),
    date: CalendarDate,
  }),
  output: Habit,
});
