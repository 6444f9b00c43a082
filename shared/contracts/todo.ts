import { Type } from "typebox";
import { parseRecurrence } from "../domain/recurrence.ts";
import type { FieldErrors } from "../errors.ts";
import { CategoryRef } from "./category.ts";
import { command, query } from "./contract.ts";
import {
  CalendarDate,
  Clearable,
  Context,
  Description,
  Flag,
  Id,
  Line,
  Name,
  Nullable,
  OneOf,
  Page,
  PageOf,
  TimeOfDay,
  Timestamp,
  WholeNumber,
} from "./fields.ts";
import { Reminder } from "./reminder.ts";

const Recurrence = Line(500);
const RecurrenceFrom = OneOf(["due", "completion"]);

export const Todo = Type.Object({
  id: Id,
  title: Type.String(),
  description: Nullable(Type.String()),
  due_date: Nullable(Type.String({ format: "date" })),
  time_of_day: Nullable(TimeOfDay),
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

const fields = {
  description: Clearable(Description),
  due_date: Clearable(CalendarDate),
  time_of_day: Clearable(TimeOfDay),
  estimated_minutes: Clearable(WholeNumber(1, 100_000)),
  context: Clearable(Context),
  category_id: Clearable(Id),
  recurrence: Clearable(Recurrence),
  recurrence_from: Clearable(RecurrenceFrom),
};
const path = "/todos/{todo_id}";
const onlyId = Type.Object({ todo_id: Id });

function checkRecurrence({ recurrence }: { recurrence?: string | null }): FieldErrors | undefined {
  if (recurrence == null) return undefined;
  const parsed = parseRecurrence(recurrence);
  return "error" in parsed ? { recurrence: [parsed.error] } : undefined;
}

export const listTodos = query({
  name: "todo.list",
  scopes: ["todos:read"],
  summary: "List todos, by default the incomplete ones",
  rest: [{ method: "GET", path: "/todos", status: 200 }],
  input: Type.Object({
    status: Type.Optional(OneOf(["incomplete", "completed", "all"])),
    due: Type.Optional(OneOf(["today", "overdue", "upcoming"])),
    context: Type.Optional(Context),
    time_of_day: Type.Optional(TimeOfDay),
    page: Type.Optional(Page),
  }),
  output: PageOf(Todo),
});

export const getTodo = query({
  name: "todo.get",
  scopes: ["todos:read"],
  summary: "View a todo",
  rest: [{ method: "GET", path, status: 200 }],
  input: onlyId,
  output: Todo,
});

export const createTodo = command({
  name: "todo.create",
  scopes: ["todos:write"],
  summary: "Create a one-time or recurring todo",
  rest: [{ method: "POST", path: "/todos", status: 201 }],
  input: Type.Object({ title: Name, ...fields }),
  output: Todo,
  refine: checkRecurrence,
});

export const updateTodo = command({
  name: "todo.update",
  scopes: ["todos:write"],
  summary: "Change a todo",
  rest: [
    { method: "PUT", path, status: 200, required: ["title"] },
    { method: "PATCH", path, status: 200 },
  ],
  input: Type.Object({ todo_id: Id, title: Type.Optional(Name), ...fields }),
  output: Todo,
  refine: checkRecurrence,
});

export const deleteTodo = command({
  name: "todo.delete",
  scopes: ["todos:write"],
  summary: "Delete a todo and its reminder for good",
  rest: [{ method: "DELETE", path, status: 204 }],
  input: onlyId,
  output: Type.Null(),
});

export const toggleTodo = command({
  name: "todo.toggle",
  scopes: ["todos:write"],
  summary: "Flip a todo between complete and incomplete, or bring it to the wanted state",
  rest: [{ method: "POST", path: `${path}/toggle`, status: 200 }],
  input: Type.Object({ todo_id: Id, is_completed: Type.Optional(Flag) }),
  output: Todo,
});
