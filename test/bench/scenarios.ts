import type { Sequence } from "./connection.ts";
import { idAt, perUser } from "./seed.ts";
import { insert, lockAndUpdate, lockInsertAndUpdate, oneRow, page } from "./statements.ts";

type Request = Readonly<{ method: "GET" | "POST" | "DELETE"; path: string; body?: object }>;

export type Scenario = Readonly<{
  name: string;
  /** The work of PostgreSQL alone in the comparison, as a pgbench script and in words. */
  limit: string;
  script(users: number): string;
  /** A user's nth sequence of requests, each answered with a 2xx. */
  requests(userIndex: number, nth: number): readonly Request[];
}>;

/** In this order: the one that makes the tables grow comes last. */
export const scenarios: readonly Scenario[] = [
  {
    name: "list",
    limit: "prepared select of the page",
    script: page,
    requests: () => [{ method: "GET", path: "/todos" }],
  },
  {
    name: "get",
    limit: "prepared select of the row",
    script: oneRow,
    requests: (user, nth) => [{ method: "GET", path: `/todos/${idAt(user, nth)}` }],
  },
  {
    name: "toggle",
    limit: "lock and update",
    script: lockAndUpdate,
    requests: (user, nth) => [{ method: "POST", path: `/todos/${idAt(user, nth)}/toggle` }],
  },
  {
    // Half of the requests are undos: a habit can be completed only once a day.
    name: "complete",
    limit: "lock, insert and update",
    script: lockInsertAndUpdate,
    requests: (user, nth) => {
      const path = `/habits/${idAt(user, nth)}/complete`;
      return [
        { method: "POST", path },
        { method: "DELETE", path },
      ];
    },
  },
  {
    name: "create",
    limit: "single insert",
    script: insert,
    requests: () => [
      {
        method: "POST",
        path: "/todos",
        body: { title: "Water the plants", due_date: "2026-12-01", time_of_day: "morning" },
      },
    ],
  },
];

/** The sequences of all users in an order that spreads each user's over the run; one token per user. */
export function sequencesOf({ requests }: Scenario, tokens: readonly string[], port: number): Sequence[] {
  const all: Sequence[] = [];
  for (let nth = 0; nth < perUser; nth++) {
    for (const [user, token] of tokens.entries()) {
      all.push(requests(user, nth).map((request) => raw(request, token, port)));
    }
  }
  return all;
}

function raw({ method, path, body }: Request, token: string, port: number): string {
  const text = body ? JSON.stringify(body) : "";
  const content = body ? `content-type: application/json\r\ncontent-length: ${text.length}\r\n` : "";
  const lead = `${method} /api/v1${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n`;
  return `${lead}authorization: Bearer ${token}\r\n${content}\r\n${text}`;
}
