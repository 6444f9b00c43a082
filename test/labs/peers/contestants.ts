import type { JsonBody } from "../../harness.ts";
import { call, type Ids, newTodo, type Scenario } from "../bench/scenarios.ts";

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

const pageSize = 15;
/** Complete, and open again. */
const states = [true, false];

const todo = (one: JsonBody, category: unknown): Todo => ({
  title: one.title,
  due_date: one.due_date,
  time_of_day: one.time_of_day ?? null,
  category: category ?? null,
  is_completed: one.is_completed ?? false,
});

const restTodo = (one: JsonBody) => todo(one, one.category?.name);
const rest = "/api/v1/todos";

const keptRest: Contestant = {
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

const keptMcp: Contestant = { name: "Kept, MCP", lacks: "", ...tools };

const plainMcp: Contestant = {
  name: "MCP SDK, plain",
  server: { file: "mcp.mjs", tables: "plain" },
  lacks: "no action log or undo, no idempotency keys, no rate limits, no scopes, no streaks or days by zone",
  ...tools,
};

const graphql = (query: string, variables: object) => ({
  method: "POST" as const,
  path: "/graphql",
  body: { query, variables },
});
const fields = "rowId title description dueDate timeOfDay estimatedMinutes context isCompleted";
const whole = `${fields} categoryByCategoryId { name color }`;
const listText = `query($first: Int!) { allTodos(condition: { isCompleted: false },
  orderBy: [DUE_DATE_ASC, TIME_OF_DAY_ASC, ROW_ID_ASC], first: $first) { totalCount nodes { ${whole} } } }`;
const getText = `query($id: BigInt!) { todoByRowId(rowId: $id) { ${whole} } }`;
const createText = `mutation($todo: TodoInput!) { createTodo(input: { todo: $todo }) { todo { ${fields} } } }`;
const completeText = `mutation($id: BigInt!, $patch: TodoPatch!) {
  updateTodoByRowId(input: { rowId: $id, todoPatch: $patch }) { todo { ${whole} } } }`;

const graphqlTodo = ({ title, dueDate, timeOfDay, isCompleted, categoryByCategoryId }: JsonBody) =>
  todo(
    { title, due_date: dueDate, time_of_day: timeOfDay, is_completed: isCompleted },
    categoryByCategoryId?.name,
  );

const postgraphile: Contestant = {
  name: "PostGraphile",
  server: { file: "postgraphile.mjs", tables: "plain" },
  lacks: "no action log or undo, no idempotency keys, no rate limits, no streaks or days by zone",
  asks: {
    list: () => [graphql(listText, { first: pageSize })],
    get: ({ todo }) => [graphql(getText, { id: String(todo) })],
    create: () => {
      const { title, due_date, time_of_day } = newTodo;
      return [graphql(createText, { todo: { title, dueDate: due_date, timeOfDay: time_of_day } })];
    },
    complete: ({ todo }) =>
      states.map((isCompleted) => graphql(completeText, { id: String(todo), patch: { isCompleted } })),
  },
  readPage: ({ data: { allTodos } }) => ({
    total: allTodos.totalCount,
    todos: allTodos.nodes.map(graphqlTodo),
  }),
  readTodo: ({ data }) => graphqlTodo(data.todoByRowId),
};

const parts = ["morning", "afternoon", "evening"];
const parseTodo = (one: JsonBody) =>
  todo({ ...one, time_of_day: parts[one.part_of_day - 1] }, one.category?.name);
const classes = "/parse/classes/Todo";
const pathOf = ({ todo }: Ids) => `${classes}/${String(todo).padStart(10, "0")}`;
const ownerOf = ({ user }: Ids) => ({ __type: "Pointer", className: "_User", objectId: user });
const listOptions = `order=due_date,part_of_day,objectId&limit=${pageSize}&count=1&include=category`;

const parse: Contestant = {
  name: "Parse Server",
  server: { file: "parse.mjs", tables: "parse" },
  lacks: "no action log or undo, idempotency only if configured, no rate limits, no streaks or days by zone",
  asks: {
    list: (ids) => {
      const where = encodeURIComponent(JSON.stringify({ owner: ownerOf(ids), is_completed: false }));
      return [{ method: "GET", path: `${classes}?where=${where}&${listOptions}` }];
    },
    get: (ids) => [{ method: "GET", path: `${pathOf(ids)}?include=category` }],
    create: (ids) => {
      const { time_of_day, ...given } = newTodo;
      const ACL = { [ids.user]: { read: true, write: true } };
      const part_of_day = parts.indexOf(time_of_day) + 1;
      const body = { ...given, part_of_day, is_completed: false, owner: ownerOf(ids), ACL };
      return [{ method: "POST", path: classes, body }];
    },
    complete: (ids) =>
      states.map((is_completed) => ({ method: "PUT", path: pathOf(ids), body: { is_completed } })),
  },
  readPage: ({ results, count }) => ({ total: count, todos: results.map(parseTodo) }),
  readTodo: parseTodo,
  sessionOf: (user) => `r:${user}`,
  headersOf: (token) => ({ "x-parse-application-id": "peers", "x-parse-session-token": token }),
};

/** All servers, in the order of the report. */
export const contestants: readonly Contestant[] = [keptRest, postgraphile, parse, keptMcp, plainMcp];
