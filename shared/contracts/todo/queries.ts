import { Type } from "typebox";
import { query } from "../kernel/contract.ts";
import {
  CalendarDate,
  Context,
  checkPeriod,
  DueField,
  Id,
  OneOf,
  Page,
  PageOf,
  SearchText,
  TimeOfDayField,
  titled,
} from "../kernel/fields.ts";
import { queryTool } from "../kernel/tool.ts";
import { argument, quotedAfter, type SentArguments } from "../kernel/tool-sentence.ts";
import { todoExamples } from "./examples.ts";
import { pendingPage } from "./result.ts";
import { PendingFilters, PendingTodos, pendingLimit, Todo } from "./schema.ts";

export const listTodos = query({
  name: "todo.list",
  scopes: ["todos:read"],
  summary: "List or search todos, by default the incomplete ones",
  rest: [
    { operationId: "listTodos", method: "GET", path: "/todos", status: 200, example: todoExamples.list },
  ],
  input: Type.Object({
    q: Type.Optional(SearchText),
    status: Type.Optional(titled("TodoStatus", OneOf(["incomplete", "completed", "all"]))),
    due: Type.Optional(DueField),
    due_from: Type.Optional(CalendarDate),
    due_to: Type.Optional(CalendarDate),
    context: Type.Optional(Context),
    time_of_day: Type.Optional(TimeOfDayField),
    category_id: Type.Optional(Id),
    page: Type.Optional(Page),
  }),
  searchField: "q",
  output: PageOf(Todo),
  refine: ({ due_from, due_to }) => checkPeriod("due_from", due_from, "due_to", due_to),
});

export const pendingTodos = query({
  name: "todo.pending",
  scopes: ["todos:read"],
  summary: "List incomplete todos in the default order, after a cursor",
  mcp: queryTool({
    name: "get-pending-todos",
    title: "Pending todos",
    description: `List or search incomplete todos by due date, ${pendingLimit} unless limit says otherwise.`,
    destructive: false,
    idempotent: true,
    arguments: PendingFilters,
    toInput: (args) => args,
    result: pendingPage,
    looksAt: (args) => [
      `${kindOf(args)} todos`,
      ...quotedAfter(" of the context ", args, "context"),
      ...quotedAfter(" in the category ", args, "category"),
      ...quotedAfter(" with ", args, "query"),
    ],
  }),
  input: PendingFilters,
  searchField: "query",
  output: PendingTodos,
  refine: ({ due, overdue_only }) =>
    overdue_only && due !== undefined && due !== "overdue"
      ? {
          due: [
            {
              reason: `The due field is ${due}, which leaves out all that overdue_only asks for`,
              next: "send one of them.",
            },
          ],
        }
      : undefined,
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

function kindOf(args: SentArguments): string {
  if (argument(args, "overdue_only") === true) return "the overdue";
  const due = DueField.enum.find((known) => known === argument(args, "due"));
  if (due === undefined) return "the pending";
  return due === "today" ? "today's" : `the ${due}`;
}
