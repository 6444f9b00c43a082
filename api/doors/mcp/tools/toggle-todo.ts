import { Type } from "typebox";
import { Flag, Id } from "../../../../shared/contracts/kernel/fields.ts";
import * as todo from "../../../../shared/contracts/todo/commands.ts";
import { does, tool } from "../tool.ts";
import { OneTodoFacts, oneTodo } from "./todo.ts";

export const toggleTodoTool = tool({
  name: "toggle-todo",
  title: "Tick off todo",
  description: "Flip todos between complete and incomplete, or set the state with completed.",
  scopes: ["todos:write"],
  destructive: true,
  idempotent: false,
  arguments: Type.Object({ todo_id: Id, completed: Type.Optional(Flag) }),
  many: { todo_ids: "todo_id" },
  act({ todo_id, completed }) {
    const input = { todo_id, ...(completed !== undefined && { is_completed: completed }) };
    return does(todo.toggleTodo, input, (done) =>
      oneTodo(done.is_completed ? "Complete:" : "Incomplete:", done),
    );
  },
  facts: OneTodoFacts,
});
