import { type Static, Type } from "typebox";
import { habitCompleted, habitDayDone, habitNotCompleted, habitNotSkipped } from "../../domain/conflicts.ts";
import { habitActs } from "../../domain/reminder/link.ts";
import type { FieldProblems } from "../../errors.ts";
import {
  categoryNameFields,
  categoryNameScopes,
  categoryNames,
  checkOneCategory,
} from "../category/fields.ts";
import { command } from "../kernel/contract.ts";
import { optionalValues, schemasOf } from "../kernel/declared-fields.ts";
import { CalendarDate, Flag, Id, Name, OneOf } from "../kernel/fields.ts";
import { checkChanges, clearing, form, tool } from "../kernel/tool.ts";
import { habitExamples } from "./examples.ts";
import { Amount, CompletionNote, Habit, HabitTypeField, habitFields } from "./fields.ts";
import {
  changedHabit,
  completedHabit,
  DeletedHabitFacts,
  deletedHabit,
  HabitDayFacts,
  OneHabitFacts,
  oneHabit,
  skippedHabit,
  undoneHabit,
  unskippedHabit,
} from "./result.ts";

/** The arguments that describe a habit, in the tool that makes one and where one is changed. */
const habitArguments = { ...optionalValues(habitFields), ...categoryNames };

const pausing = {
  reason: "Habits have no archive",
  next: "set paused_from without paused_through, and clear both to bring the habit back.",
};

/** Fields of habits in other apps, each with the nearest field here. */
const unlikeHabits: FieldProblems = { archived: [pausing], archive: [pausing] };

const clearable = Object.entries(habitFields).filter(([, { usual }]) => usual !== undefined);
const cleared = ["category", ...clearable.map(([name]) => name)];

type Frequency = Static<(typeof habitFields)["frequency"]["value"]>;

/** A schedule alone says enough. */
const frequencyOf = ({ schedule }: Readonly<{ schedule?: object }>): Frequency =>
  schedule === undefined ? "daily" : "custom";

/** The form of complete-habit that changes a habit; `set` has the changes, so that the list names them only once. */
const changingHabit = form({
  command: "habit.update",
  by: "set",
  within: Type.Object({}, { expects: 'an object of changes such as {"name": "Read"}' }),
  arguments: Type.Object({
    habit_id: Id,
    ...habitArguments,
    clear: Type.Optional(
      Type.Array(OneOf(cleared), { uniqueItems: true, expects: `a list of some of ${cleared.join(", ")}` }),
    ),
  }),
  refine: ({ habit_id: _, ...change }) => checkOneCategory(change) ?? checkChanges("set", change),
  toInput: ({ schedule, frequency, ...change }) => ({
    ...clearing(change),
    ...(schedule && { schedule, frequency: frequencyOf({ schedule }) }),
    ...(frequency && { frequency }),
  }),
  facts: OneHabitFacts,
  result: changedHabit,
});

const deletingHabit = form({
  command: "habit.delete",
  by: "delete",
  arguments: Type.Object({ habit_id: Id, delete: Flag }),
  toInput: ({ habit_id }) => ({ habit_id }),
  facts: DeletedHabitFacts,
  result: deletedHabit,
});

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
      required: ["name", "type", "frequency"],
      example: habitExamples.replace,
    },
    { operationId: "updateHabit", method: "PATCH", path, example: habitExamples.change },
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
  output: Type.Object({ id: Id, name: Name, type: HabitTypeField }),
});

const dayPath = "/habits/{habit_id}/complete";
/** Without a date it is today. */
const oneDay = Type.Object({ habit_id: Id, date: Type.Optional(CalendarDate) });

/** Without an amount the day is filled up to the habit's target. */
const withAmount = Type.Object({ ...oneDay.properties, amount: Type.Optional(Amount) });

/** A note belongs to a completed day, and replaces the one that it had. */
const withNote = Type.Object({ ...withAmount.properties, note: Type.Optional(CompletionNote) });

/** The forms of complete-habit that skip a day and undo a skip. */
const skipping = form({
  command: "habit.skip",
  by: "skip",
  arguments: Type.Object({ ...oneDay.properties, skip: Flag }),
  toInput: ({ skip: _, ...input }) => input,
  facts: HabitDayFacts,
  result: skippedHabit,
});
const takingSkipBack = form({
  command: "habit.unskip",
  by: "skip",
  and: "undo",
  arguments: Type.Object({ ...oneDay.properties, skip: Flag, undo: Flag }),
  toInput: ({ skip: _, undo: __, ...input }) => input,
  facts: HabitDayFacts,
  result: unskippedHabit,
});

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
  rest: [{ operationId: "completeHabit", method: "POST", path: dayPath, example: habitExamples.complete }],
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
    { operationId: "undoHabitCompletion", method: "DELETE", path: dayPath, example: habitExamples.undo },
  ],
  dayField: "date",
  input: oneDay,
  output: Habit,
});

const skipPath = "/habits/{habit_id}/skip";

export const skipHabit = command({
  name: "habit.skip",
  resource: "Habit",
  scopes: ["habits:write"],
  summary:
    "Skip a day, or its week: nothing is asked and the streak stays; today, up to 366 days back or 30 ahead",
  conflict: habitDayDone(),
  rest: [{ operationId: "skipHabitDay", method: "POST", path: skipPath, example: habitExamples.skip }],
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
      path: skipPath,
      example: habitExamples.takeSkipBack,
    },
  ],
  dayField: "date",
  input: oneDay,
  output: Habit,
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
