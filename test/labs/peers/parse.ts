import type { JsonBody } from "../../harness.ts";
import { type Ids, newTodo } from "../bench/scenarios.ts";
import { type Contestant, pageSize, states, todo } from "./contestant.ts";

const parts = ["morning", "afternoon", "evening"];
const parseTodo = (one: JsonBody) =>
  todo({ ...one, time_of_day: parts[one.part_of_day - 1] }, one.category?.name);
const classes = "/parse/classes/Todo";
const pathOf = ({ todo }: Ids) => `${classes}/${String(todo).padStart(10, "0")}`;
const ownerOf = ({ user }: Ids) => ({ __type: "Pointer", className: "_User", objectId: user });
const listOptions = `order=due_date,part_of_day,objectId&limit=${pageSize}&count=1&include=category`;

export const parse: Contestant = {
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
