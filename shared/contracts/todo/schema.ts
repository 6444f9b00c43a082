import { Type } from "typebox";
import { parseRecurrence } from "../../domain/todo/recurrence.ts";
import type { FieldErrors } from "../../errors.ts";
import { categoryNameFields, categoryNames } from "../category/name.ts";
import { CategoryRef } from "../category/schema.ts";
import { schemasOf } from "../kernel/declared-fields.ts";
import {
  CalendarDate,
  Clearable,
  ClockTime,
  Context,
  Description,
  Id,
  Nullable,
  OneOf,
  TimeOfDayField,
  Timestamp,
  TodayFields,
  titled,
  WrittenBy,
} from "../kernel/fields.ts";
import { Minutes, Recurrence, RecurrenceFrom, todoFields } from "./fields.ts";
import { RemindAt, Reminder } from "./reminder-schema.ts";

const {
  category_id: _,
  is_completed,
  completed_at,
  completed_on: __,
  recurrence,
  recurrence_from,
  recurrence_anchor: ___,
  next_todo_id,
  ...described
} = schemasOf(todoFields, "shown");

export const Todo = titled(
  "Todo",
  Type.Object({
    id: Id,
    ...described,
    is_completed,
    is_overdue: Type.Boolean(),
    recurrence,
    recurrence_from,
    completed_at,
    next_todo_id,
    reminder: Nullable(Reminder),
    written_by: WrittenBy,
    category: Nullable(CategoryRef),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);

/** The arguments that describe a todo in both tools that write one. */
export const describing = {
  description: Type.Optional(Description),
  due_date: Type.Optional(CalendarDate),
  due_time: Type.Optional(ClockTime),
  time_of_day: Type.Optional(TimeOfDayField),
  estimated_minutes: Type.Optional(Minutes),
  context: Type.Optional(Context),
  ...categoryNames,
  recurrence: Type.Optional(Recurrence),
  recurrence_from: Type.Optional(RecurrenceFrom),
  remind_at: Type.Optional(RemindAt),
};

/** Agents send these in the same call. REST has the category's id and the reminder's own address. */
export const toolTodoFields = { ...categoryNameFields, remind_at: Clearable(RemindAt) };
export const toolTodoNames = Object.keys(toolTodoFields);

export function checkRecurrence({ recurrence }: { recurrence?: string | null }): FieldErrors | undefined {
  if (recurrence == null) return undefined;
  const parsed = parseRecurrence(recurrence);
  return "error" in parsed ? { recurrence: [parsed.error] } : undefined;
}

/** A tool clears a field by its name, because some clients cannot send null. */
const clearedNames = [
  "description",
  "due_date",
  "due_time",
  "time_of_day",
  "estimated_minutes",
  "context",
  "category",
  "recurrence",
  "remind_at",
] as const;
export const ClearedFields = Type.Array(OneOf(clearedNames), {
  uniqueItems: true,
  expects: `a list of some of ${clearedNames.join(", ")}`,
});

/** A todo in an agent's list. */
export const ListedTodo = Type.Object({
  ...Todo.properties,
  /** The user's day of completion. */
  completed_on: Nullable(CalendarDate),
});

export const PendingTodos = Type.Object({
  ...TodayFields,
  todos: Type.Array(ListedTodo),
  total: Type.Integer(),
  next_cursor: Nullable(Type.String()),
  /** Counts instead of todos: all categories, and null for todos without one. */
  by_category: Type.Optional(
    Type.Array(Type.Object({ category: Nullable(Type.String()), count: Type.Integer() })),
  ),
});
