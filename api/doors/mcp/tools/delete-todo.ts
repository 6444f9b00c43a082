import { type Static, Type } from "typebox";
import { Id } from "../../../../shared/contracts/kernel/fields.ts";
import * as todo from "../../../../shared/contracts/todo/commands.ts";
import { deletionFacts, does, type ToolResult, tool } from "../tool.ts";
import { factsOfTodo, OneTodoFacts, todoLine } from "./todo.ts";

export const deleteTodoTool = tool({
  name: "delete-todo",
  title: "Delete todo",
  description: "Delete todos for good; cannot be undone.",
  scopes: ["todos:write"],
  destructive: true,
  idempotent: true,
  arguments: Type.Object({ todo_id: Id }),
  many: { todo_ids: "todo_id" },
  act: (args) => does(todo.deleteTodo, args, deleted),
  facts: Type.Object({
    deleted_todo_id: Id,
    title: Type.Optional(Type.String()),
    todo: Type.Optional(OneTodoFacts.properties.todo),
    ...deletionFacts,
  }),
});

/** Tells everything about the deleted todo, so that an agent can make one like it. */
const deleted = ({ id, title, was }: Static<typeof todo.deleteTodo.output>): ToolResult => ({
  lines: [`Deleted todo ${todoLine(was)}`],
  facts: { deleted_todo_id: id, title, todo: factsOfTodo(was) },
  canReturn: true,
});
