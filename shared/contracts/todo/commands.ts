import { type Static, Type } from "typebox";
import type { FieldProblems } from "../../errors.ts";
import type { Category } from "../category/fields.ts";
import { categoryNameScopes, checkOneCategory } from "../category/fields.ts";
import { command } from "../kernel/contract.ts";
import { schemasOf } from "../kernel/declared-fields.ts";
import { Flag, Id, Name } from "../kernel/fields.ts";
import { checkChanges, clearing, form, quoteStored, tool } from "../kernel/tool.ts";
import { todoExamples } from "./examples.ts";
import {
  ClearedFields,
  checkRecurrence,
  describing,
  Todo,
  todoFields,
  toolTodoFields,
  toolTodoNames,
} from "./fields.ts";
import { DeletedTodoFacts, deletedTodo, OneTodoFacts, oneTodo } from "./result.ts";

/** The arguments of update-todo: changes of a todo, and names of fields to clear. */
const ChangeArguments = Type.Object({
  todo_id: Id,
  title: Type.Optional(Name),
  ...describing,
  clear: Type.Optional(ClearedFields),
});

type Change = Static<typeof ChangeArguments>;

const checkChange = ({ todo_id: _, ...change }: Change): FieldProblems | undefined =>
  checkOneCategory(change) ?? checkChanges("todo_id", change);

/** Fields of todos in other apps, each with the nearest field here. */
const unlikeTodos: FieldProblems = {
  priority: [
    {
      reason: "Tools set no priority",
      next: "the person marks todos as important; a context such as urgent, or a due_date, can stand for it.",
    },
  ],
  subtasks: [
    {
      reason: "Todos have no subtasks",
      next: "make several by todos of create-todo, with a category or context in common.",
    },
  ],
};

/**
 * The form of update-todo that renames a category. It is not a tool of its own, and belongs to the one that changes
 * what is stored.
 */
const renamingCategory = form({
  command: "category.rename",
  by: "rename_category",
  arguments: Type.Object({ category: Name, rename_category: Name }),
  toInput: ({ category, rename_category: name }) => ({ category, name }),
  facts: Type.Object({ category: Type.String() }),
  result: ({ name }: Static<typeof Category>, { category }: { category: string }) => ({
    lines: [`Renamed the category ${quoteStored(category)} to ${quoteStored(name)}.`],
    facts: { category: name },
  }),
});

const path = "/todos/{todo_id}";
const onlyId = Type.Object({ todo_id: Id });

const manyTodos = { todo_ids: "todo_id" };
const ticking = { reason: "Completion is not changed here", next: "toggle-todo sets it with completed." };

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
      "Create a one-shot todo, or a recurring one by recurrence. todos creates up to 25, each an object of these arguments; others beside it are for all.",
    destructive: false,
    idempotent: false,
    arguments: Type.Object({
      title: Name,
      ...describing,
      category_id: Type.Optional(Id),
    }),
    many: { todos: null },
    elsewhere: unlikeTodos,
    refine: checkOneCategory,
    toInput: (args) => args,
    facts: OneTodoFacts,
    result: (todo: TodoOutput) => oneTodo("Created", todo),
  }),
  toolOnly: toolTodoNames,
  fieldScopes: categoryNameScopes,
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
    { operationId: "replaceTodo", method: "PUT", path, required: ["title"], example: todoExamples.replace },
    { operationId: "updateTodo", method: "PATCH", path, example: todoExamples.change },
  ],
  mcp: tool({
    name: "update-todo",
    title: "Change todo",
    description:
      "Change fields of a todo, or of up to 25 alike by todo_ids; clear names fields to empty. A reminder moves with due_date. rename_category renames category.",
    destructive: true,
    idempotent: true,
    arguments: ChangeArguments,
    elsewhere: { completed: [ticking], is_completed: [ticking], ...unlikeTodos },
    refine: checkChange,
    toInput: clearing,
    facts: OneTodoFacts,
    result: (todo: TodoOutput) => oneTodo("Changed", todo),
    many: manyTodos,
    forms: [renamingCategory],
  }),
  toolOnly: toolTodoNames,
  fieldScopes: categoryNameScopes,
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
    description: "Delete todos for good; cannot be undone.",
    destructive: true,
    idempotent: true,
    arguments: onlyId,
    toInput: (args) => args,
    facts: DeletedTodoFacts,
    result: deletedTodo,
    many: manyTodos,
  }),
  input: onlyId,
  // For tools. REST answers without content.
  output: Type.Object({ id: Id, title: Name, was: Todo }),
});

export const toggleTodo = command({
  name: "todo.toggle",
  resource: "Todo",
  scopes: ["todos:write"],
  summary: "Flip a todo between complete and incomplete, or bring it to the wanted state",
  rest: [{ operationId: "toggleTodo", method: "POST", path: `${path}/toggle`, example: todoExamples.toggle }],
  mcp: tool({
    name: "toggle-todo",
    title: "Tick off todo",
    description: "Flip todos between complete and incomplete, or set the state with completed.",
    destructive: true,
    idempotent: false,
    arguments: Type.Object({ todo_id: Id, completed: Type.Optional(Flag) }),
    toInput: ({ todo_id, completed }) => ({
      todo_id,
      ...(completed !== undefined && { is_completed: completed }),
    }),
    facts: OneTodoFacts,
    result: (todo: TodoOutput) => oneTodo(todo.is_completed ? "Complete:" : "Incomplete:", todo),
    many: manyTodos,
  }),
  input: Type.Object({ todo_id: Id, is_completed: Type.Optional(Flag) }),
  output: Todo,
});
