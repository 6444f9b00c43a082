import { Type } from "typebox";
import { query } from "./contract.ts";
import { Context, Id, OneOf, Page, PageOf, TimeOfDayField, titled } from "./fields.ts";
import { todoExamples } from "./todo-examples.ts";
import { pendingPage } from "./todo-result.ts";
import { PendingFilters, PendingTodos, pendingLimit, Todo } from "./todo-schema.ts";
import { queryTool } from "./tool.ts";
import { argument, quotedAfter, said } from "./tool-sentence.ts";

export const listTodos = query({
  name: "todo.list",
  scopes: ["todos:read"],
  summary: "List todos, by default the incomplete ones",
  rest: [
    { operationId: "listTodos", method: "GET", path: "/todos", status: 200, example: todoExamples.list },
  ],
  input: Type.Object({
    status: Type.Optional(titled("TodoStatus", OneOf(["incomplete", "completed", "all"]))),
    due: Type.Optional(titled("Due", OneOf(["today", "overdue", "upcoming"]))),
    context: Type.Optional(Context),
    time_of_day: Type.Optional(TimeOfDayField),
    page: Type.Optional(Page),
  }),
  output: PageOf(Todo),
});

export const pendingTodos = query({
  name: "todo.pending",
  scopes: ["todos:read"],
  summary: "List incomplete todos in the default order, after a cursor",
  mcp: queryTool({
    name: "get-pending-todos",
    title: "Pending todos",
    description: `List incomplete todos by due date, ${pendingLimit} unless limit says otherwise.`,
    destructive: false,
    idempotent: true,
    arguments: PendingFilters,
    toInput: (args) => args,
    result: pendingPage,
    sentence: (args) =>
      said(
        "Looked at",
        "look at",
        `the ${argument(args, "overdue_only") === true ? "overdue" : "pending"} todos`,
        ...quotedAfter(" of the context ", args, "context"),
      ),
  }),
  input: PendingFilters,
  output: PendingTodos,
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
