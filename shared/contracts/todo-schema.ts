import { Type } from "typebox";
import { recurrenceStarts } from "../domain/vocabulary.ts";
import { CategoryRef } from "./category.ts";
import {
  CalendarDate,
  Clearable,
  Context,
  Description,
  Id,
  Line,
  Nullable,
  OneOf,
  TimeOfDayField,
  Timestamp,
  WholeNumber,
} from "./fields.ts";
import { Reminder } from "./reminder.ts";

export const Recurrence = Line(500);
export const Minutes = WholeNumber(1, 100_000);
const RecurrenceFrom = OneOf(recurrenceStarts);

export const Todo = Type.Object({
  id: Id,
  title: Type.String(),
  description: Nullable(Type.String()),
  due_date: Nullable(Type.String({ format: "date" })),
  time_of_day: Nullable(TimeOfDayField),
  estimated_minutes: Nullable(Type.Integer()),
  context: Nullable(Type.String()),
  is_completed: Type.Boolean(),
  is_overdue: Type.Boolean(),
  recurrence: Nullable(Type.String()),
  recurrence_from: RecurrenceFrom,
  completed_at: Nullable(Timestamp),
  next_todo_id: Nullable(Id),
  reminder: Nullable(Reminder),
  category: Nullable(CategoryRef),
  created_at: Timestamp,
  updated_at: Timestamp,
});

/** What both create and update take. */
export const todoFields = {
  description: Clearable(Description),
  due_date: Clearable(CalendarDate),
  time_of_day: Clearable(TimeOfDayField),
  estimated_minutes: Clearable(Minutes),
  context: Clearable(Context),
  category_id: Clearable(Id),
  recurrence: Clearable(Recurrence),
  recurrence_from: Clearable(RecurrenceFrom),
};
/** In a tool a word clears a field: null trips some clients. */
export const ClearedFields = Type.Array(OneOf(["description", "due_date"]), {
  uniqueItems: true,
  expects: "a list of description and due_date",
});
