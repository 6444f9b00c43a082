import { Type } from "typebox";
import { parseRecurrence } from "../../domain/todo/recurrence.ts";
import type { FieldErrors } from "../../errors.ts";
import { CategoryRef } from "../category/schema.ts";
import { schemasOf } from "../kernel/declared-fields.ts";
import {
  CalendarDate,
  Clearable,
  Context,
  Description,
  DueField,
  Flag,
  Id,
  Name,
  Nullable,
  OneOf,
  SearchText,
  TimeOfDayField,
  Timestamp,
  TodayFields,
  titled,
  WholeNumber,
} from "../kernel/fields.ts";
import { TodoCursor } from "./cursor.ts";
import { Minutes, Recurrence, todoFields } from "./fields.ts";
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
    category: Nullable(CategoryRef),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
);

/** The arguments that describe a todo in both tools that write one. */
export const describing = {
  description: Type.Optional(Description),
  due_date: Type.Optional(CalendarDate),
  time_of_day: Type.Optional(TimeOfDayField),
  estimated_minutes: Type.Optional(Minutes),
  context: Type.Optional(Context),
  category: Type.Optional(Name),
  recurrence: Type.Optional(Recurrence),
  remind_at: Type.Optional(RemindAt),
};

/** An agent sends these in the same call. REST has the category's id and the reminder's own address. */
export const toolTodoFields = { category: Clearable(Name), remind_at: Clearable(RemindAt) };
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

/** The default limit of listed pending todos. */
export const pendingLimit = 25;
const maxPendingLimit = 100;

export const PendingFilters = Type.Object({
  query: Type.Optional(SearchText),
  due: Type.Optional(DueField),
  overdue_only: Type.Optional(Flag),
  context: Type.Optional(Context),
  category: Type.Optional(Name),
  limit: Type.Optional(WholeNumber(1, maxPendingLimit)),
  cursor: Type.Optional(TodoCursor),
});

export const PendingTodos = Type.Object({
  ...TodayFields,
  todos: Type.Array(Todo),
  total: Type.Integer(),
  next_cursor: Nullable(Type.String()),
});
