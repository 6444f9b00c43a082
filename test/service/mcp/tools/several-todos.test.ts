import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { useStack } from "../../../harness.ts";
import { agent, loggedCalls } from "../../../support/mcp.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => sql.close());
const stack = await useStack({ travels: true });
const sql = new SQL(stack.config.databaseUrl, { max: 1 });
stack.clock.now = Date.parse("2026-11-20T10:00:00Z");

async function withTodos(count: number) {
  const userId = crypto.randomUUID();
  const caller = await agent(stack, { sub: userId });
  const ids: number[] = [];
  for (let n = 0; n < count; n++)
    ids.push((await caller.call("create-todo", { title: `Todo ${n}` })).facts.todo.id);
  return { ...caller, userId, ids };
}

test("several todos are changed alike by one call, with one result each and one row in the log", async () => {
  const { call, ids, userId } = await withTodos(3);
  await call("toggle-todo", { todo_id: ids[2] });
  const todo_ids = [String(ids[0]), 999_999_999, ids[1], ids[2]];
  const before = (await loggedCalls(sql, userId)).length;
  const { facts, text } = await call("update-todo", { todo_ids, remind_at: "2026-11-21T09:00" });
  expect(facts.results).toEqual([
    { todo: { id: ids[0], title: "Todo 0", remind_at: "2026-11-21T09:00", reaches: "nobody" } },
    { todo_id: 999_999_999, code: "not_found", message: "Todo not found." },
    { todo: { id: ids[1], title: "Todo 1", remind_at: "2026-11-21T09:00", reaches: "nobody" } },
    { todo_id: ids[2], code: "conflict", message: expect.any(String) },
  ]);
  expect(facts.done).toBe(2);
  expect(text).toContain("2 of 4 done.\n");
  expect(text).toContain("#999999999 was refused: Todo not found.");
  const logged = (await loggedCalls(sql, userId)).slice(before);
  expect(logged).toMatchObject([{ tool: "update-todo", outcome: "ok" }]);
});

test("a repeat with the same key changes nothing more, whatever the form of the ids", async () => {
  const { call, ids } = await withTodos(2);
  const first = await call("update-todo", { todo_ids: ids, title: "Same", idempotency_key: "k" });
  const again = await call("update-todo", {
    todo_ids: ids.map(String),
    title: "Same",
    idempotency_key: "k",
  });
  expect(again.facts).toEqual({ ...first.facts, now: undefined, replayed: true });
});

test("what is wrong with the change refuses all of it", async () => {
  const { call, ids } = await withTodos(2);
  for (const [change, name] of [
    [{ category: "Nope" }, "category"],
    [{ remind_at: "2026-11-19T09:00" }, "remind_at"],
    [{ due_date: "tomorrow" }, "due_date"],
    [{ recurrence: "FREQ=HOURLY" }, "recurrence"],
    [{}, "todo_id"],
  ] as const) {
    const { isError, facts } = await call("update-todo", { todo_ids: ids, ...change });
    expect([isError, Object.keys(facts.errors)]).toEqual([true, [name]]);
  }
  const { todos } = (await call("get-pending-todos")).facts;
  expect(todos).toEqual(ids.map((id, n) => ({ id, title: `Todo ${n}` })));
});

test("one todo or 1 to 25 different ones are named", async () => {
  const { call, ids } = await withTodos(1);
  const [todo_id] = ids;
  const title = "x";
  for (const [args, name] of [
    [{ title }, "todo_id"],
    [{ title, todo_id, todo_ids: ids }, "todo_id"],
    [{ title, todo_ids: [] }, "todo_id"],
    [{ title, todo_ids: [todo_id, todo_id] }, "todo_ids"],
    [{ title, todo_ids: [todo_id, String(todo_id)] }, "todo_ids"],
    [{ title, todo_ids: Array.from({ length: 26 }, (_, n) => n + 1) }, "todo_ids"],
    [{ title, todo_ids: todo_id }, "todo_ids"],
  ] as const) {
    const { facts } = await call("update-todo", args);
    expect([args, Object.keys(facts.errors)]).toEqual([args, [name]]);
  }
});

test("somebody else's todos are not there", async () => {
  const { ids } = await withTodos(2);
  const { call } = await withTodos(0);
  const { isError, facts } = await call("update-todo", { todo_ids: ids, title: "mine" });
  expect([isError, facts.code, facts.results]).toEqual([true, "not_found", undefined]);
});

test("examples of dates in the refusal of one of several todos are of the user's day", async () => {
  const { call } = await withTodos(0);
  const before = stack.clock.now;
  stack.clock.now = Date.parse("2026-11-21T10:00:00Z");
  const { facts, text } = await call("create-todo", {
    todos: [{ title: "a" }, { title: "b", due_date: "x" }],
  });
  stack.clock.now = before;
  expect(facts.results[1].errors).toEqual({
    due_date: ["The due_date field must be a real date such as 2026-11-21."],
  });
  expect(text).toContain("such as 2026-11-21.");
});

test("a call of which nothing was done is refused, and logged as that", async () => {
  const { call, ids, userId } = await withTodos(1);
  const before = (await loggedCalls(sql, userId)).length;
  const missing = await call("update-todo", { todo_ids: [999_999_998, 999_999_999], title: "x" });
  expect(missing.text).toStartWith("Todo not found; get-pending-todos lists the ids");
  const done = await call("update-todo", { todo_ids: [ids[0], 999_999_999], title: "x" });
  expect([missing.isError, done.isError, done.facts.done]).toEqual([true, false, 1]);
  const logged = (await loggedCalls(sql, userId)).slice(before);
  expect(logged.map(({ outcome }) => outcome)).toEqual(["not_found", "ok"]);
});
