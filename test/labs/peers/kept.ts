import type { JsonBody } from "../../harness.ts";
import { call, newTodo } from "../bench/scenarios.ts";
import { type Contestant, pageSize, states, todo } from "./contestant.ts";

const restTodo = (one: JsonBody) => todo(one, one.category?.name);
const rest = "/api/v1/todos";

export const keptRest: Contestant = {
  name: "Kept, REST",
  lacks: "",
  asks: {
    list: () => [{ method: "GET", path: rest }],
    get: ({ todo }) => [{ method: "GET", path: `${rest}/${todo}` }],
    create: () => [{ method: "POST", path: rest, body: newTodo }],
    complete: ({ todo }) =>
      states.map((is_completed) => ({
        method: "POST",
        path: `${rest}/${todo}/toggle`,
        body: { is_completed },
      })),
  },
  readPage: ({ data, meta }) => ({ total: meta.total, todos: data.map(restTodo) }),
  readTodo: restTodo,
};

/** The tools of both servers of MCP. */
export const tools: Pick<Contestant, "asks" | "readPage" | "readTodo"> = {
  asks: {
    list: () => [call("get-pending-todos", { limit: pageSize })],
    create: () => [call("create-todo", newTodo)],
    complete: ({ todo }) => states.map((completed) => call("toggle-todo", { todo_id: todo, completed })),
  },
  readPage: ({ result }) => ({
    total: result.structuredContent.total,
    todos: result.structuredContent.todos.map((one: JsonBody) => todo(one, one.category)),
  }),
  readTodo: ({ result }) => todo(result.structuredContent.todo, result.structuredContent.todo.category),
};
