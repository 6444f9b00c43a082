import type { JsonBody } from "../../harness.ts";
import { call, newTodo, type Scenario } from "../bench/scenarios.ts";

export const questions = ["list", "get", "create", "complete"] as const;
export type Question = (typeof questions)[number];

/** A page of open todos, in the words that all contestants share. */
export type Page = Readonly<{ total: number; todos: readonly Todo[] }>;
type Todo = Readonly<Record<"title" | "due_date" | "time_of_day" | "category" | "is_completed", unknown>>;

/** A server, how it is asked, and how its answers read. `complete` is two requests: done, and open again. */
export type Contestant = Readonly<{
  name: string;
  /** The program in `servers/` and its tables; undefined for Kept. */
  server?: Readonly<{ file: string; tables: "plain" | "parse" }>;
  /** The promises of Kept that it does not make. */
  lacks: string;
  asks: Readonly<Partial<Record<Question, Scenario["requests"]>>>;
  readPage(body: JsonBody): Page;
  readTodo(body: JsonBody): Todo;
  /** The token of a user, and its headers; unset: the bearer token that Kept takes. */
  sessionOf?: (user: string) => string;
  headersOf?: (token: string) => Readonly<Record<string, string>>;
}>;

export const pageSize = 15;
/** Complete, and open again. */
export const states = [true, false];

export const todo = (one: JsonBody, category: unknown): Todo => ({
  title: one.title,
  due_date: one.due_date,
  time_of_day: one.time_of_day ?? null,
  category: category ?? null,
  is_completed: one.is_completed ?? false,
});

const restTodo = (one: JsonBody) => todo(one, one.category?.name);
const rest = "/api/v1/todos";

export const keptRest: Contestant = {
  name: "Kept, REST",
  lacks: "",
  asks: {
    list: () => [{ method: "GET", path: rest }],
    get: ({ todo }) => [{ method: "GET", path: `${rest}/${todo}` }],
    create: () => [{ method: "POST", path: rest, body: newTodo }],
    complete: ({ todo }) => {
      const path = `${rest}/${todo}/toggle`;
      return states.map((is_completed) => ({ method: "POST", path, body: { is_completed } }));
    },
  },
  readPage: ({ data, meta }) => ({ total: meta.total, todos: data.map(restTodo) }),
  readTodo: restTodo,
};

/** The tools of both servers of MCP. */
const tools: Pick<Contestant, "asks" | "readPage" | "readTodo"> = {
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

export const keptMcp: Contestant = { name: "Kept, MCP", lacks: "", ...tools };

export const plainMcp: Contestant = {
  name: "MCP SDK, plain",
  server: { file: "mcp.mjs", tables: "plain" },
  lacks: "no action log or undo, no idempotency keys, no rate limits, no scopes, no streaks or days by zone",
  ...tools,
};
