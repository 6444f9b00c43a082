import { Type } from "typebox";
import { Id, Nullable, Reach } from "../kernel/fields.ts";
import { deletionFacts, LeanObject } from "../kernel/tool.ts";
import { RecurrenceFrom } from "./fields.ts";
import { ListedStatus } from "./filters.ts";
import { Reminder } from "./reminder-schema.ts";
import { ListedTodo, PendingTodos } from "./schema.ts";

const { id, title, description, due_date, due_time, is_overdue, time_of_day, estimated_minutes, context } =
  ListedTodo.properties;
const { recurrence, is_important, is_completed, completed_on, next_todo_id, written_by } =
  ListedTodo.properties;

/** A todo as the facts of tools have it. */
export const TodoFacts = LeanObject({
  id,
  title,
  description,
  written_by,
  due_date,
  due_time,
  is_overdue,
  is_important,
  time_of_day,
  estimated_minutes,
  context,
  category: Nullable(Type.String()),
  recurrence,
  /** Absent where the due date counts, as it usually does. */
  recurrence_from: Nullable(RecurrenceFrom),
  remind_at: Nullable(Type.String({ description: "Local time such as 2026-11-22T09:00" })),
  reminder_status: Nullable(Reminder.properties.status),
  is_completed,
  completed_on,
  next_todo_id,
  reaches: Nullable(Reach),
});

export const OneTodoFacts = Type.Object({ todo: TodoFacts });

export const PendingFacts = LeanObject({
  status: ListedStatus,
  todos: Type.Array(TodoFacts),
  total: Type.Integer(),
  next_cursor: Nullable(Type.String()),
  by_category: PendingTodos.properties.by_category,
});

export const DeletedTodoFacts = Type.Object({
  deleted_todo_id: Id,
  title: Type.Optional(Type.String()),
  todo: Type.Optional(TodoFacts),
  ...deletionFacts,
});
