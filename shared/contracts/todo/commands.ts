import { type Static, Type } from "typebox";
import { checkOneCategory } from "../category/name.ts";
import { command } from "../kernel/contract.ts";
import { schemasOf } from "../kernel/declared-fields.ts";
import { Flag, Id, Name } from "../kernel/fields.ts";
import { tool } from "../kernel/tool.ts";
import { ChangeArguments, changeInput, checkChange } from "./changes.ts";
import { todoExamples } from "./examples.ts";
import { todoFields } from "./fields.ts";
import { oneTodo } from "./result.ts";
import { checkRecurrence, describing, Todo, toolTodoFields, toolTodoNames } from "./schema.ts";

const path = "/todos/{todo_id}";
const onlyId = Type.Object({ todo_id: Id });

type TodoOutput = Static<typeof Todo>;

export const createTodo = command({
  name: "todo.create",
  scopes: ["todos:write"],
  summary: "Create a one-time or recurring todo",
  rest: [
    { operationId: "createTodo", method: "POST", path: "/todos", status: 201, example: todoExamples.create },
  ],
  mcp: tool({
    name: "create-todo",
    title: "Create todo",
    description:
      "Create a one-shot todo, or a recurring one by recurrence. todos creates up to 25, each an object of these arguments.",
    destructive: false,
    idempotent: false,
    arguments: Type.Object({
      title: Name,
      ...describing,
      category_id: Type.Optional(Id),
    }),
    several: { argument: "todos", command: "todo.create-many" },
    refine: checkOneCategory,
    toInput: (args) => args,
    result: (todo: TodoOutput) => oneTodo("Created", todo),
  }),
  toolOnly: toolTodoNames,
  input: Type.Object({ ...schemasOf(todoFields, "create"), ...toolTodoFields }),
  output: Todo,
  refine: checkRecurrence,
});

export const updateTodo = command({
  name: "todo.update",
  resource: "Todo",
  scopes: ["todos:write"],
  summary: "Change a todo",
  rest: [
    {
      operationId: "replaceTodo",
      method: "PUT",
      path,
      status: 200,
      required: ["title"],
      example: todoExamples.replace,
    },
    { operationId: "updateTodo", method: "PATCH", path, status: 200, example: todoExamples.change },
  ],
  mcp: tool({
    name: "update-todo",
    title: "Change todo",
    description: "Change fields of a todo, or of up to 25 alike by todo_ids; clear names fields to empty.",
    destructive: true,
    idempotent: true,
    arguments: ChangeArguments,
    refine: checkChange,
    toInput: changeInput,
    result: (todo: TodoOutput) => oneTodo("Changed", todo),
    several: { argument: "todo_ids", command: "todo.update-many", each: "todo_id" },
  }),
  toolOnly: toolTodoNames,
  input: Type.Object({ todo_id: Id, ...schemasOf(todoFields, "update"), ...toolTodoFields }),
  output: Todo,
  refine: checkRecurrence,
});

export const deleteTodo = command({
  name: "todo.delete",
  resource: "Todo",
  scopes: ["todos:write"],
  summary: "Delete a todo and its reminder for good",
  rest: [{ operationId: "deleteTodo", method: "DELETE", path, status: 204, example: todoExamples.remove }],
  mcp: tool({
    name: "delete-todo",
    title: "Delete todo",
    description: "Delete a todo for good; cannot be undone.",
    destructive: true,
    idempotent: true,
    arguments: onlyId,
    toInput: (args) => args,
    result: (_: null, { todo_id }) => ({
      lines: [`Deleted todo #${todo_id}.`],
      facts: { deleted_todo_id: todo_id },
    }),
  }),
  input: onlyId,
  output: Type.Null(),
});

export const toggleTodo = command({
  name: "todo.toggle",
  resource: "Todo",
  scopes: ["todos:write"],
  summary: "Flip a todo between complete and incomplete, or bring it to the wanted state",
  rest: [
    {
      operationId: "toggleTodo",
      method: "POST",
      path: `${path}/toggle`,
      status: 200,
      example: todoExamples.toggle,
    },
  ],
  mcp: tool({
    name: "toggle-todo",
    title: "Tick off todo",
    description: "Flip a todo between complete and incomplete, or set the state with completed.",
    destructive: true,
    idempotent: false,
    arguments: Type.Object({ todo_id: Id, completed: Type.Optional(Flag) }),
    toInput: ({ todo_id, completed }) => ({
      todo_id,
      ...(completed !== undefined && { is_completed: completed }),
    }),
    result: (todo: TodoOutput) => oneTodo(todo.is_completed ? "Complete:" : "Incomplete:", todo),
  }),
  input: Type.Object({ todo_id: Id, is_completed: Type.Optional(Flag) }),
  output: Todo,
});
