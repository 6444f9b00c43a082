import { Type } from "typebox";
import { Name } from "../../../../shared/contracts/kernel/fields.ts";
import * as todo from "../../../../shared/contracts/todo/commands.ts";
import { checkRecurrence } from "../../../../shared/contracts/todo/fields.ts";
import { checkOneCategory, does, newCategoryScope, tool } from "../tool.ts";
import { OneTodoFacts, oneTodo, todoArguments } from "./todo.ts";

export const createTodoTool = tool({
  name: "create-todo",
  title: "Create todo",
  description:
    "Create a one-shot todo, or a recurring one by recurrence. todos creates up to 25, each an object of these arguments; others beside it are for all.",
  scopes: ["todos:write"],
  argumentScopes: newCategoryScope,
  destructive: false,
  idempotent: false,
  arguments: Type.Object({ title: Name, ...todoArguments }),
  many: { todos: null },
  refine: checkOneCategory,
  alsoTold: checkRecurrence,
  act: (args) => does(todo.createTodo, args, (made) => oneTodo("Created", made)),
  facts: OneTodoFacts,
});
