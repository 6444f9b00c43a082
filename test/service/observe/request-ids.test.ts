import { expect, test } from "bun:test";
import pino from "pino";
import { readFilters } from "../../../api/doors/pages/action/list/filters.ts";
import { readActions } from "../../../api/queries/action/read.ts";
import { createQueryContext, openQueryDatabase } from "../../../api/queries/engine/context.ts";
import { isRefused } from "../../../shared/errors.ts";
import { type JsonBody, startStack } from "../../harness.ts";
import { agent } from "../../support/mcp.ts";

const lines: JsonBody[] = [];
const log = pino({ level: "debug" }, { write: (line: string) => lines.push(JSON.parse(line)) });

const stack = await startStack({ log });
const { baseUrl } = stack.config;
const { database, pool } = await stack.page();

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const idOf = ({ headers }: { headers: Headers }): string => headers.get("x-request-id") ?? "";
const linesAbout = (id: string) => lines.filter(({ request_id }) => request_id === id);

/** The results of a text search on the page Activity. */
async function foundBy(q: string, userId: string) {
  const db = openQueryDatabase(database);
  const query = createQueryContext({ db, userId, now: Date.now(), defaultTimeZone: "UTC", baseUrl });
  const filters = readFilters(new URLSearchParams({ q }), "UTC");
  if (isRefused(filters)) throw new Error(filters.refusal.message);
  return (await readActions(query, filters.input)).actions;
}

test("the id of an answer leads to the lines of door and worker about it, and to its row in the log of actions", async () => {
  const token = await stack.issuer.token({ sub: "ada" });
  const headers = { "x-request-id": "proxy-7:a/b" };
  const answer = await stack.rest("POST", "/todos", { token, headers, body: { title: "Found again" } });
  const id = idOf(answer);
  expect(id).toMatch(uuid);
  expect(linesAbout(id)).toMatchObject([
    { msg: "answered", command: "todo.create", outcome: "done" },
    { msg: "answered", method: "POST", path: "/api/v1/todos", status: 201, client_request_id: "proxy-7:a/b" },
  ]);
  expect(await foundBy(id, "ada")).toMatchObject([{ request_id: id, tool: "todo.create" }]);
  expect(await foundBy(id.toUpperCase(), "ada")).toHaveLength(1);
  expect(await foundBy(id, "bob")).toEqual([]);
});

test("so it is with an agent's reads and refused calls, which are found among all kinds", async () => {
  const { call } = await agent(stack, { sub: "agent" });
  for (const [tool, args] of [
    ["get-today-habits", {}],
    ["delete-todo", { todo_id: 404 }],
  ] as const) {
    const { answer } = await call(tool, args);
    expect(await foundBy(idOf(answer), "agent")).toMatchObject([{ request_id: idOf(answer), tool }]);
    expect(linesAbout(idOf(answer))).toHaveLength(2);
  }
});

test("the id of a group finds its operations, each with an id of its own", async () => {
  const token = await stack.issuer.token({ sub: "group" });
  const operations = ["One", "Two"].map((title) => ({ method: "POST", path: "/todos", body: { title } }));
  const answer = await stack.rest("POST", "/batch", { token, body: { operations } });
  const found = await foundBy(idOf(answer), "group");
  expect(found.map(({ resource_name }) => resource_name).sort()).toEqual(["One", "Two"]);
  expect(new Set(found.map(({ request_id }) => request_id)).size).toBe(2);
  expect(linesAbout(idOf(answer))).toMatchObject([{ command: "batch.run" }, { path: "/api/v1/batch" }]);
});

test("an id that was sent is no key, and one that could do harm in a log is not in it", async () => {
  const token = await stack.issuer.token({ sub: "eve" });
  const taken = idOf(await stack.rest("POST", "/todos", { token, body: { title: "Mine" } }));
  const again = { "x-request-id": taken };
  const next = await stack.rest("POST", "/todos", { token, headers: again, body: { title: "Another" } });
  expect([next.status, idOf(next) === taken]).toEqual([201, false]);
  expect(await foundBy(taken, "eve")).toHaveLength(1);
  for (const odd of ["x".repeat(129), "a b", '{"level":60}', "é"]) {
    const answer = await stack.rest("GET", "/todos", { token, headers: { "x-request-id": odd } });
    expect(linesAbout(idOf(answer))).toMatchObject([{ status: 200 }]);
    expect(linesAbout(idOf(answer))[0]).not.toHaveProperty("client_request_id");
  }
});

test("every answer has an id of its own, whatever it is", async () => {
  const answers = await Promise.all(
    ["/nowhere", "/account", "/docs", "/health/ready", "/mcp", "/api/v1/todos", "/api/v1/todos"].map((path) =>
      fetch(`${baseUrl}${path}`, { redirect: "manual" }),
    ),
  );
  for (const answer of answers) expect(idOf(answer)).toMatch(uuid);
  expect(new Set(answers.map(idOf)).size).toBe(answers.length);
});

test("a command that the worker cannot finish is named by its request in both logs", async () => {
  const token = await stack.issuer.token({ sub: "trouble" });
  await pool.query(`
    create function fail() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
    create trigger fail before insert on categories for each row execute function fail()`);
  const answer = await stack.rest("POST", "/categories", { token, body: { name: "Broken" } });
  expect(answer.status).toBe(500);
  expect(linesAbout(idOf(answer))).toMatchObject([
    { level: 50, msg: "command failed", command: "category.create" },
    { outcome: "internal" },
    { path: "/api/v1/categories", status: 500 },
  ]);
});

test("a change that no worker answers leaves a line with the id of its request, one a minute", async () => {
  const deserted = await startStack({ log, workers: 0 });
  const token = await deserted.issuer.token({ sub: "grace" });
  const refused = await Promise.all(
    [1, 2, 3].map((number) => deserted.rest("POST", "/todos", { token, body: { title: `Lost ${number}` } })),
  );
  expect(refused.map(({ status }) => status)).toEqual([503, 503, 503]);
  const said = lines.filter(({ msg }) => msg === "changes are refused");
  expect(said).toMatchObject([{ command: "todo.create", level: 40 }]);
  const answered = expect.objectContaining({ path: "/api/v1/todos", status: 503 });
  expect(linesAbout(said[0].request_id)).toContainEqual(answered);
});
