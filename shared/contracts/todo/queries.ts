import { Type } from "typebox";
import type { FieldErrors } from "../../errors.ts";
import { query } from "../kernel/contract.ts";
import {
  CalendarDate,
  Context,
  checkPeriod,
  DueField,
  Flag,
  Id,
  OneOf,
  Page,
  PageOf,
  SearchText,
  TimeOfDayField,
  titled,
} from "../kernel/fields.ts";
import { queryTool } from "../kernel/tool.ts";
import { todoExamples } from "./examples.ts";
import { PendingFacts } from "./facts.ts";
import { checkPending, PendingFilters, pendingLimit } from "./filters.ts";
import { pendingPage } from "./result.ts";
import { PendingTodos, Todo } from "./schema.ts";

export const listTodos = query({
  name: "todo.list",
  scopes: ["todos:read"],
  summary:
    "List or search todos, by default the incomplete ones; with done_since those completed from that day on, newest first",
  rest: [
    { operationId: "listTodos", method: "GET", path: "/todos", status: 200, example: todoExamples.list },
  ],
  input: Type.Object({
    q: Type.Optional(SearchText),
    status: Type.Optional(titled("TodoStatus", OneOf(["incomplete", "completed", "all"]))),
    due: Type.Optional(DueField),
    due_from: Type.Optional(CalendarDate),
    due_to: Type.Optional(CalendarDate),
    done_since: Type.Optional(CalendarDate),
    has_reminder: Type.Optional(Flag),
    context: Type.Optional(Context),
    time_of_day: Type.Optional(TimeOfDayField),
    category_id: Type.Optional(Id),
    page: Type.Optional(Page),
  }),
  searchField: "q",
  output: PageOf(Todo),
  refine: checkList,
});

export const pendingTodos = query({
  name: "todo.pending",
  scopes: ["todos:read"],
  summary: "List pending todos in the default order or completed ones, after a cursor",
  mcp: queryTool({
    name: "get-pending-todos",
    title: "Pending todos",
    description: `List or search todos: by default the pending ones by due date, ${pendingLimit} at a time. due_by takes overdue ones too; done_since lists completed ones, newest first. count_by_category lists all categories with their counts instead.`,
    destructive: false,
    idempotent: true,
    arguments: PendingFilters,
    toInput: (args) => args,
    facts: PendingFacts,
    result: pendingPage,
    looksAt: "the todos",
  }),
  // All categories of the user, also those without a todo.
  fieldScopes: { count_by_category: "categories:read" },
  input: PendingFilters,
  searchField: "query",
  output: PendingTodos,
  refine: checkPending,
});

export const getTodo = query({
  name: "todo.get",
  resource: "Todo",
  scopes: ["todos:read"],
  summary: "View a todo",
  rest: [
    {
      operationId: "getTodo",
      method: "GET",
      path: "/todos/{todo_id}",
      status: 200,
      example: todoExamples.get,
    },
  ],
  input: Type.Object({ todo_id: Id }),
  output: Todo,
});

type ListFilters = Readonly<{
  due?: string;
  due_from?: string;
  due_to?: string;
  done_since?: string;
  status?: string;
}>;

function checkList({ due, due_from, due_to, done_since, status }: ListFilters): FieldErrors | undefined {
  if (due === "none" && (due_from ?? due_to) !== undefined)
    return { due: ["The due field is none, which excludes everything that due_from and due_to ask for."] };
  if (status === "incomplete" && done_since !== undefined)
    return {
      status: ["The status field is incomplete, which excludes everything that done_since asks for."],
    };
  return checkPeriod("due_from", due_from, "due_to", due_to);
}
