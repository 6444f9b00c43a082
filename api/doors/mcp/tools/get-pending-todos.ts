import { type Static, Type } from "typebox";
import { Nullable } from "../../../../shared/contracts/kernel/fields.ts";
import { PendingTodos } from "../../../../shared/contracts/todo/fields.ts";
import {
  checkPending,
  ListedStatus,
  listedStatus,
  PendingFilters,
  type PendingInput,
  pendingLimit,
} from "../../../../shared/contracts/todo/filters.ts";
import { pendingTodos } from "../../../../shared/contracts/todo/queries.ts";
import { LeanObject, lean, quoteStored, reads, type ToolResult, tool } from "../tool.ts";
import { factsOfTodo, ManyTodoFacts, todoLine } from "./todo.ts";

export const getPendingTodosTool = tool({
  name: "get-pending-todos",
  title: "Pending todos",
  description: `List or search todos: by default the pending ones by due date, ${pendingLimit} at a time. due_by takes overdue ones too, due_on is one day. done_since and done_through list completed ones, newest first. count_by_category lists all categories with their counts instead.`,
  scopes: ["todos:read"],
  // All categories of the user, also those without a todo.
  argumentScopes: { count_by_category: "categories:read" },
  destructive: false,
  idempotent: true,
  arguments: PendingFilters,
  alsoTold: checkPending,
  act: (args) => reads(pendingTodos, args, pendingPage),
  facts: LeanObject({
    status: ListedStatus,
    todos: ManyTodoFacts,
    total: Type.Integer(),
    next_cursor: Nullable(Type.String()),
    by_category: PendingTodos.properties.by_category,
  }),
  looksAt: "the todos",
});

function pendingPage(
  { todos, total, next_cursor, by_category }: Static<typeof PendingTodos>,
  asked: PendingInput,
): ToolResult {
  const status = listedStatus(asked);
  if (by_category)
    return {
      lines: [
        `Todos by category, status ${status}:`,
        ...by_category.map(
          ({ category, count }) => `${count} in ${category === null ? "none" : quoteStored(category)}`,
        ),
      ],
      facts: { status, by_category, total },
    };
  const { kind, none } = kinds[status];
  return {
    lines: [
      todos.length === 0 ? none : `${todos.length} of ${total} ${kind}:`,
      ...todos.map(todoLine),
      ...(next_cursor === null ? [] : [`More with cursor ${next_cursor}`]),
    ],
    facts: lean({ status, todos: todos.map(factsOfTodo), total, next_cursor }),
  };
}

/** An empty list names the todos that it searched, because it says nothing about others. */
const kinds = {
  pending: {
    kind: "pending todos",
    none: "No pending todos match. Completed ones were not looked at: status all has both.",
  },
  completed: {
    kind: "completed todos, newest first",
    none: "No completed todos match. Pending ones were not looked at: status all has both.",
  },
  all: { kind: "todos, pending and completed", none: "No todos match, neither pending nor completed." },
};
