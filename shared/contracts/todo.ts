import { Type } from "typebox";
import { parseRecurrence } from "../domain/recurrence.ts";
import type { FieldErrors } from "../errors.ts";
import { command, query, tool } from "./contract.ts";
import {
  CalendarDate,
  Context,
  Description,
  Flag,
  Id,
  Name,
  Nullable,
  OneOf,
  Page,
  PageOf,
  TimeOfDayField,
  TodayFields,
  WholeNumber,
} from "./fields.ts";
import { TodoCursor } from "./todo-cursor.ts";
import { ClearedFields, Minutes, Recurrence, Todo, todoFields } from "./todo-schema.ts";

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
    time_of_day: Type.Optional(TimeOfDayField),
    page: Type.Optional(Page),
  }),
  output: PageOf(Todo),
});

const maxPending = 100;
const pendingFilters = {
  overdue_only: Type.Optional(Flag),
  context: Type.Optional(Context),
  limit: Type.Optional(WholeNumber(1, maxPending)),
  cursor: Type.Optional(TodoCursor),
};

export const pendingTodos = query({
  name: "todo.pending",
  scopes: ["todos:read"],
  summary: "List incomplete todos in the default order, after a cursor",
  mcp: tool({
    name: "get-pending-todos",
    description: "List incomplete todos by due date, 25 unless limit says otherwise.",
    destructive: false,
    idempotent: true,
    arguments: Type.Object(pendingFilters),
    toInput: (args) => args,
  }),
  input: Type.Object(pendingFilters),
  output: Type.Object({
    ...TodayFields,
    todos: Type.Array(Todo),
    total: Type.Integer(),
    next_cursor: Nullable(Type.String()),
  }),
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
  mcp: tool({
    name: "create-todo",
    description:
      "Create a one-shot todo, or a recurring one by an RFC 5545 rule such as FREQ=WEEKLY;BYDAY=MO.",
    destructive: false,
    idempotent: false,
    arguments: Type.Object({
      title: Name,
      description: Type.Optional(Description),
      due_date: Type.Optional(CalendarDate),
      time_of_day: Type.Optional(TimeOfDayField),
      estimated_minutes: Type.Optional(Minutes),
      context: Type.Optional(Context),
      category_id: Type.Optional(Id),
      recurrence: Type.Optional(Recurrence),
    }),
    toInput: (args) => args,
  }),
  input: Type.Object({ title: Name, ...todoFields }),
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
  mcp: tool({
    name: "update-todo",
    description: "Change title, description or due_date of a todo; clear empties fields.",
    destructive: true,
    idempotent: true,
    arguments: Type.Object({
      todo_id: Id,
      title: Type.Optional(Name),
      description: Type.Optional(Description),
      due_date: Type.Optional(CalendarDate),
      clear: Type.Optional(ClearedFields),
    }),
    refine: ({ clear = [], ...given }) => {
      const both = clear.find((name) => given[name] !== undefined);
      return (
        both && { clear: [`The clear field names ${both}, which is also given a value; send one of them.`] }
      );
    },
    toInput: ({ clear = [], ...fields }) => ({
      ...fields,
      ...Object.fromEntries(clear.map((name) => [name, null])),
    }),
  }),
  input: Type.Object({ todo_id: Id, title: Type.Optional(Name), ...todoFields }),
  output: Todo,
  refine: checkRecurrence,
});

export const deleteTodo = command({
  name: "todo.delete",
  scopes: ["todos:write"],
  summary: "Delete a todo and its reminder for good",
  rest: [{ method: "DELETE", path, status: 204 }],
  mcp: tool({
    name: "delete-todo",
    description: "Delete a todo for good; cannot be undone.",
    destructive: true,
    idempotent: true,
    arguments: onlyId,
    toInput: (args) => args,
  }),
  input: onlyId,
  output: Type.Null(),
});

export const toggleTodo = command({
  name: "todo.toggle",
  scopes: ["todos:write"],
  summary: "Flip a todo between complete and incomplete, or bring it to the wanted state",
  rest: [{ method: "POST", path: `${path}/toggle`, status: 200 }],
  mcp: tool({
    name: "toggle-todo",
    description: "Flip a todo between complete and incomplete, or set the state with completed.",
    destructive: true,
    idempotent: false,
    arguments: Type.Object({ todo_id: Id, completed: Type.Optional(Flag) }),
    toInput: ({ todo_id, completed }) => ({
      todo_id,
      ...(completed !== undefined && { is_completed: completed }),
    }),
  }),
  input: Type.Object({ todo_id: Id, is_completed: Type.Optional(Flag) }),
  output: Todo,
});
