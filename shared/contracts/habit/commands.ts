import { Type } from "typebox";
import { conflicts } from "../../domain/conflicts.ts";
import { habitActs } from "../../domain/reminder/link.ts";
import { categoryNameFields } from "../category/fields.ts";
import { command, route } from "../kernel/contract.ts";
import { schemasOf } from "../kernel/declared-fields.ts";
import { CalendarDate, Id, Name, OneOf } from "../kernel/fields.ts";
import { habitExamples } from "./examples.ts";
import { Amount, CompletionNote, Habit, HabitTypeField, habitFields } from "./fields.ts";

const path = "/habits/{habit_id}";
const onlyId = Type.Object({ habit_id: Id });
const toolNames = Object.keys(categoryNameFields);

export const createHabit = command({
  name: "habit.create",
  scopes: ["habits:write"],
  summary: "Create a habit; a bad habit is completed by having avoided it that day",
  rest: [route("createHabit", "POST", "/habits", habitExamples.create, { status: 201 })],
  toolOnly: toolNames,
  input: Type.Object({ ...schemasOf(habitFields, "create"), ...categoryNameFields }),
  output: Habit,
});

export const updateHabit = command({
  name: "habit.update",
  resource: "Habit",
  scopes: ["habits:write"],
  summary: "Change a habit; a new rhythm looks forward only and never breaks or revives a streak",
  rest: [
    route("replaceHabit", "PUT", path, habitExamples.replace, { required: ["name", "type", "frequency"] }),
    route("updateHabit", "PATCH", path, habitExamples.change),
  ],
  toolOnly: toolNames,
  input: Type.Object({ habit_id: Id, ...schemasOf(habitFields, "update"), ...categoryNameFields }),
  output: Habit,
});

export const deleteHabit = command({
  name: "habit.delete",
  resource: "Habit",
  scopes: ["habits:write"],
  summary: "Delete a habit and its completions",
  rest: [route("deleteHabit", "DELETE", path, habitExamples.remove)],
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

/** A command about one day of a habit. */
const ofDay = {
  resource: "Habit",
  scopes: ["habits:write"],
  dayField: "date",
  input: oneDay,
  output: Habit,
} as const;

export const completeHabit = command({
  ...ofDay,
  name: "habit.complete",
  summary: "Mark a habit completed, today or on one of the 366 days before; for a bad habit: avoided today",
  conflict: conflicts.habitCompleted(),
  rest: [route("completeHabit", "POST", dayPath, habitExamples.complete)],
  input: withNote,
});

export const undoHabit = command({
  ...ofDay,
  name: "habit.undo",
  summary:
    "Undo the completion of today or of one of the 366 days before; the streak becomes what it would be without it",
  conflict: conflicts.habitNotCompleted(),
  rest: [route("undoHabitCompletion", "DELETE", dayPath, habitExamples.undo)],
});

const skipPath = "/habits/{habit_id}/skip";

export const skipHabit = command({
  ...ofDay,
  name: "habit.skip",
  summary:
    "Skip a day, or its week: nothing is asked and the streak stays; today, up to 366 days back or 30 ahead",
  conflict: conflicts.habitDayDone(),
  rest: [route("skipHabitDay", "POST", skipPath, habitExamples.skip)],
});

export const takeSkipBack = command({
  ...ofDay,
  name: "habit.unskip",
  summary: "Take back the skip of today or of another day; the streak becomes what it would be without it",
  conflict: conflicts.habitNotSkipped(),
  rest: [route("takeHabitSkipBack", "DELETE", skipPath, habitExamples.takeSkipBack)],
});

/** Only links in reminders use it. It has a scope, because a change of a habit is logged and can be undone. */
export const actOnHabit = command({
  name: "habit.act",
  scopes: ["habits:write"],
  summary: "Do what a link in a habit's reminder offers, once, for the day of the reminder",
  conflict: conflicts.habitCompleted(),
  input: Type.Object({
    habit_id: Id,
    delivery_id: Type.String({ format: "uuid" }),
    act: OneOf(habitActs),
    date: CalendarDate,
  }),
  output: Habit,
});
