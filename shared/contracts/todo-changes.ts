import { type Static, Type } from "typebox";
import type { FieldErrors, Refusal } from "../errors.ts";
import { command } from "./contract.ts";
import { Id, Name } from "./fields.ts";
import { oneTodo } from "./todo-result.ts";
import {
  ClearedFields,
  checkRecurrence,
  describing,
  Todo,
  todoFields,
  toolTodoFields,
} from "./todo-schema.ts";
import type { ToolResult } from "./tool-result.ts";

const mostTodos = 25;

const TodoIds = Type.Array(Id, {
  minItems: 1,
  maxItems: mostTodos,
  uniqueItems: true,
  expects: `a list of 1 to ${mostTodos} different ids`,
});

/** What update-todo takes: one todo or several, what to change of them, and the names of fields to empty. */
export const ChangeArguments = Type.Object({
  todo_id: Type.Optional(Id),
  todo_ids: Type.Optional(TodoIds),
  title: Type.Optional(Name),
  ...describing,
  clear: Type.Optional(ClearedFields),
});

type Change = Static<typeof ChangeArguments>;

export function checkChange({ todo_id, todo_ids, clear = [], ...given }: Change): FieldErrors | undefined {
  if ((todo_id === undefined) === (todo_ids === undefined))
    return { todo_id: ["Either the todo_id field or the todo_ids field is required."] };
  if (clear.length === 0 && Object.keys(given).length === 0) {
    const change = todo_id === undefined ? "No change" : `No change to the todo ${todo_id}`;
    return { todo_id: [`${change} was given; name at least one field to change.`] };
  }
  const both = clear.find((name) => given[name] !== undefined);
  return both && { clear: [`The clear field names ${both}, which is also given a value; send one of them.`] };
}

/** The input of either command; each takes what it knows, and a call of several todos has no other id. */
export const changeInput = ({ todo_id = 0, clear = [], ...fields }: Change) => ({
  todo_id,
  ...fields,
  ...Object.fromEntries(clear.map((name) => [name, null])),
});

const Ends = Type.Object({
  ends: Type.Array(
    Type.Object({
      todo_id: Id,
      todo: Type.Optional(Todo),
      refusal: Type.Optional(Type.Unsafe<Refusal>(Type.Object({}))),
    }),
  ),
});

/** Only agents have it, by update-todo; scripts have batches. */
export const updateTodos = command({
  name: "todo.update-many",
  scopes: ["todos:write"],
  summary: "Change several todos alike",
  input: Type.Object({
    todo_ids: TodoIds,
    title: Type.Optional(Name),
    ...todoFields,
    ...toolTodoFields,
  }),
  output: Ends,
  refine: checkRecurrence,
});

/** What became of each todo, in the order of the call. */
export function changedTodos({ ends }: Static<typeof Ends>): ToolResult {
  const results = ends.map(({ todo_id, todo, refusal }): ToolResult => {
    if (todo) return oneTodo("Changed", todo);
    const { code, message } = refusal ?? {};
    return { lines: [`#${todo_id} was not changed: ${message}`], facts: { todo_id, code, message } };
  });
  const done = ends.filter(({ todo }) => todo !== undefined).length;
  return {
    lines: [`${done} of ${ends.length} done.`, ...results.flatMap(({ lines }) => lines)],
    facts: { done, results: results.map(({ facts }) => facts) },
  };
}
