import { Type } from "typebox";
import { command, route } from "../kernel/contract.ts";
import { schemasOf } from "../kernel/declared-fields.ts";
import { Flag, Id, Name } from "../kernel/fields.ts";
import { todoExamples } from "./examples.ts";
import { AddedNote, checkRecurrence, Todo, todoFields, toolTodoFields, toolTodoNames } from "./fields.ts";

const path = "/todos/{todo_id}";
const onlyId = Type.Object({ todo_id: Id });

export const createTodo = command({
  name: "todo.create",
  scopes: ["todos:write"],
  summary: "Create a one-time or recurring todo",
  rest: [route("createTodo", "POST", "/todos", todoExamples.create, { status: 201 })],
  toolOnly: toolTodoNames,
  input: Type.Object({ ...schemasOf(todoFields, "create"), ...toolTodoFields }),
  output: Todo,
  refine: checkRecurrence,
});

export const updateTodo = command({
  name: "todo.update",
  resource: "Todo",
  scopes: ["todos:write"],
  summary: "Change a todo, whose reminder moves with its due date",
  rest: [
    route("replaceTodo", "PUT", path, todoExamples.replace, { required: ["title"] }),
    route("updateTodo", "PATCH", path, todoExamples.change),
  ],
  toolOnly: [...toolTodoNames, "add_note"],
  input: Type.Object({
    todo_id: Id,
    ...schemasOf(todoFields, "update"),
    ...toolTodoFields,
    add_note: Type.Optional(AddedNote),
  }),
  output: Todo,
  refine: checkRecurrence,
});

export const deleteTodo = command({
  name: "todo.delete",
  resource: "Todo",
  scopes: ["todos:write"],
  summary: "Delete a todo and its reminder for good",
  rest: [route("deleteTodo", "DELETE", path, todoExamples.remove)],
  input: onlyId,
  // For tools. REST answers without content.
  output: Type.Object({ id: Id, title: Name, was: Todo }),
});

export const toggleTodo = command({
  name: "todo.toggle",
  resource: "Todo",
  scopes: ["todos:write"],
  summary: "Flip a todo between complete and incomplete, or bring it to the wanted state",
  rest: [route("toggleTodo", "POST", `${path}/toggle`, todoExamples.toggle)],
  input: Type.Object({ todo_id: Id, is_completed: Type.Optional(Flag) }),
  output: Todo,
});
