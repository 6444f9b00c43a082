import type { CommandName } from "../../../shared/contracts/catalogue.ts";
import { rpc } from "../../support/mcp.ts";
import { requestText } from "../../support/raw.ts";
import type { Sequence } from "./load/load.ts";
import { idAt, perUser, userAt } from "./seed.ts";
import { dashboard, insert, lockAndUpdate, lockInsertAndUpdate, oneRow, page } from "./statements.ts";
import type { Subject } from "./subject.ts";

export type Call = Readonly<{ method: "GET" | "POST" | "PUT" | "DELETE"; path: string; body?: object }>;

export type Ids = Readonly<{ user: string; todo: number; habit: number }>;

export type Scenario = Readonly<{
  name: string;
  /** The comparison with PostgreSQL alone, in words and as a pgbench script. */
  limit?: Readonly<{ words: string; script(users: number): string }>;
  /** True if the bare server answers it too. */
  isBare?: boolean;
  /** The row of which this one is a share, if no other server does the same work. */
  shareOf?: string;
  /** A sequence of requests on a user's todo and habit, each answered with a 2xx. */
  requests(ids: Ids): readonly Call[];
  /** The worker's command for it, if that is measured by itself. */
  command?(ids: Readonly<{ todo: number }>): Readonly<{ name: CommandName; input: object }>;
}>;

export const newTodo = { title: "Water the plants", due_date: "2026-12-01", time_of_day: "morning" };

export const call = (name: string, args: object): Call => ({
  method: "POST",
  path: "/mcp",
  body: rpc("tools/call", { name, arguments: args }),
});

/** The order of the rows; the one that makes the tables grow comes last. */
export const scenarios: readonly Scenario[] = [
  { name: "health", isBare: true, requests: () => [{ method: "GET", path: "/health/live" }] },
  {
    name: "list",
    limit: { words: "prepared select of the page", script: page },
    isBare: true,
    requests: () => [{ method: "GET", path: "/api/v1/todos" }],
  },
  {
    name: "get",
    limit: { words: "prepared select of the row", script: oneRow },
    isBare: true,
    requests: ({ todo }) => [{ method: "GET", path: `/api/v1/todos/${todo}` }],
  },
  {
    name: "filtered",
    shareOf: "list",
    requests: () => [{ method: "GET", path: "/api/v1/todos?due=upcoming&context=desk" }],
  },
  {
    name: "dashboard",
    limit: { words: "its statement, prepared", script: dashboard },
    isBare: true,
    requests: () => [{ method: "GET", path: "/api/v1/dashboard" }],
  },
  { name: "mcp-read", shareOf: "list", requests: () => [call("get-pending-todos", { limit: 15 })] },
  {
    name: "toggle",
    limit: { words: "lock and update", script: lockAndUpdate },
    isBare: true,
    requests: ({ todo }) => [{ method: "POST", path: `/api/v1/todos/${todo}/toggle` }],
    command: ({ todo }) => ({ name: "todo.toggle", input: { todo_id: todo } }),
  },
  {
    // Half of the requests are undos: a habit can be completed only once a day.
    name: "complete",
    limit: { words: "lock, insert and update", script: lockInsertAndUpdate },
    isBare: true,
    requests: ({ habit }) => {
      const path = `/api/v1/habits/${habit}/complete`;
      return (["POST", "DELETE"] as const).map((method) => ({ method, path }));
    },
  },
  {
    name: "create",
    limit: { words: "single insert", script: insert },
    isBare: true,
    requests: () => [{ method: "POST", path: "/api/v1/todos", body: newTodo }],
    command: () => ({ name: "todo.create", input: newTodo }),
  },
  { name: "mcp-create", shareOf: "create", requests: () => [call("create-todo", newTodo)] },
];

type Asks = Pick<Scenario, "requests">;
type Asked = Pick<Subject, "callers"> & Readonly<{ headersOf?: (token: string) => Headers }>;

type Headers = Readonly<Record<string, string>>;

export const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

/** The sequences of all callers in an order that spreads each one's over the run. */
export function sequencesOf({ requests }: Asks, { callers, headersOf = bearer }: Asked): Sequence[] {
  const all: Sequence[] = [];
  for (let nth = 0; nth < perUser; nth++) {
    for (const { index, token } of callers) {
      const ids = { user: userAt(index), todo: idAt(index, nth), habit: idAt(index, nth) };
      const headers = Object.entries(headersOf(token)).map(([name, value]) => `${name}: ${value}`);
      all.push(requests(ids).map((request) => requestText({ ...request, headers })));
    }
  }
  return all;
}
