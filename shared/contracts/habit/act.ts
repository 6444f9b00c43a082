import { Type } from "typebox";
import { habitCompleted } from "../../domain/conflicts.ts";
import { habitActs } from "../../domain/reminder/link.ts";
import { command } from "../kernel/contract.ts";
import { CalendarDate, Id, OneOf } from "../kernel/fields.ts";
import { Habit } from "./schema.ts";

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
