import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { useStack } from "../../../harness.ts";
import { agent, loggedCalls } from "../../../support/mcp.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => sql.close());
const stack = await useStack({ travels: true });
const sql = new SQL(stack.config.databaseUrl, { max: 1 });
const friday = Date.parse("2026-11-20T10:00:00Z");
stack.clock.now = friday;

async function withTodos(todos: readonly object[]) {
  const userId = crypto.randomUUID();
  const caller = await agent(stack, { sub: userId });
  const { facts } = await caller.call("create-todo", { todos });
  const ids: number[] = facts.results.map(({ todo }: { todo: { id: number } }) => todo.id);
  return { ...caller, userId, ids };
}

test("todos are ticked off by one call, with one row in the log; a recurring one gets its successor", async () => {
  const { call, ids, userId } = await withTodos([
    { title: "Milk" },
    { title: "Bins", recurrence: "FREQ=WEEKLY", due_date: "2026-11-20" },
  ]);
  const todo_ids = [ids[0], 999_999_999, ids[1]];
  const { facts, text } = await call("toggle-todo", { todo_ids, completed: true });
  expect(facts.done).toBe(2);
  expect(facts.results[0].todo).toMatchObject({ id: ids[0], is_completed: true });
  expect(facts.results[1]).toEqual({ todo_id: 999_999_999, code: "not_found", message: "Todo not found." });
  expect(facts.results[2].todo.next_todo_id).toBeGreaterThan(ids[1] ?? 0);
  expect(text).toContain("#999999999 was refused: Todo not found.");
  const left = (await call("get-pending-todos")).facts.todos;
  expect(left).toMatchObject([{ title: "Bins", due_date: "2026-11-27" }]);
  const logged = (await loggedCalls(sql, userId)).filter(({ tool }) => tool === "toggle-todo");
  expect(logged).toMatchObject([{ outcome: "ok" }]);
});

test("todos are deleted by one call, whose answer has their titles, and the way back", async () => {
  const { call, ids } = await withTodos([{ title: "Milk" }, { title: 'Tea "green"' }, { title: "Rice" }]);
  const args = { todo_ids: ids.slice(0, 2), idempotency_key: "gone" };
  const { facts, text } = await call("delete-todo", args);
  expect(facts.results).toEqual([
    { deleted_todo_id: ids[0], title: "Milk", todo: { id: ids[0], title: "Milk" } },
    { deleted_todo_id: ids[1], title: 'Tea "green"', todo: { id: ids[1], title: 'Tea "green"' } },
  ]);
  expect(text).toContain(`Deleted todo #${ids[1]} "Tea \\"green\\""\n`);
  expect(text).toContain(`for 30 days: ${stack.config.baseUrl}/account/actions`);
  expect(facts.brought_back_at).toBe(`${stack.config.baseUrl}/account/actions`);
  const again = await call("delete-todo", args);
  expect(again.facts).toMatchObject({ results: facts.results, replayed: true });
  const one = await call("delete-todo", { todo_id: ids[2] });
  expect(one.facts).toMatchObject({ deleted_todo_id: ids[2], title: "Rice" });
  expect((await call("get-pending-todos")).facts.total).toBe(0);
});

test("arguments beside todos are for all that do not give their own", async () => {
  const { call, token } = await agent(stack, { sub: crypto.randomUUID() });
  const { facts } = await call("create-todo", {
    context: "shop",
    due_date: "2026-11-21",
    todos: [{ title: "Milk" }, { title: "Stamps", context: "post", due_date: null }, { title: "" }],
  });
  expect(facts.done).toBe(2);
  expect(facts.results[0].todo).toMatchObject({ title: "Milk", context: "shop", due_date: "2026-11-21" });
  expect(facts.results[1].todo).toMatchObject({ context: "post", due_date: "2026-11-21" });
  expect(Object.keys(facts.results[2].errors)).toEqual(["title"]);
  const titled = await call("create-todo", { title: "Shopping", todos: [{ title: "Milk" }] });
  expect(titled.text).toStartWith("title cannot be given beside todos; each of them has its own.");
  const wrong = await call("create-todo", { due_date: "soon", todos: [{ title: "a" }, { title: "b" }] });
  expect([wrong.isError, Object.keys(wrong.facts.errors)]).toEqual([true, ["due_date"]]);
  const { body } = await stack.rest("GET", "/todos", { token });
  expect(body.meta.total).toBe(2);
});

test("habits are completed on several days by one call, and taken back", async () => {
  const { call } = await agent(stack, { sub: crypto.randomUUID() });
  const [yoga, run] = await Promise.all(
    ["Yoga", "Run"].map(async (name) => (await call("create-habit", { name })).facts.habit.id),
  );
  await call("complete-habit", { habit_id: run, date: "2026-11-19" });
  const dates = ["2026-11-18", "2026-11-19", "2026-11-20"];
  const { facts, text } = await call("complete-habit", { habit_ids: [yoga, run], dates });
  expect(facts.done).toBe(5);
  expect(facts.results[2]).toMatchObject({ date: "2026-11-20", habit: { id: yoga, streak_count: 3 } });
  expect(facts.results[4]).toMatchObject({ habit_id: run, date: "2026-11-19", code: "conflict" });
  expect(text).toContain(`#${run} on 2026-11-19 was refused: Habit is already completed on 2026-11-19.`);
  const back = await call("complete-habit", { habit_id: yoga, dates: dates.slice(1), undo: true });
  expect(back.facts.results.at(-1).habit).toMatchObject({ id: yoga, streak_count: 1 });
  const { facts: refused } = await call("complete-habit", { habit_ids: [yoga, run], dates: ["soon"] });
  expect(refused.errors.dates).toEqual([
    "The dates field must be a list of 1 to 25 that differ, each a real date such as 2026-11-20.",
  ]);
  const many = {
    habit_ids: [yoga, run, 3, 4],
    dates: [...dates, "2026-11-17", "2026-11-16", "2026-11-15", "2026-11-14"],
  };
  expect((await call("complete-habit", many)).text).toStartWith(
    "One call does at most 25 things; these are 28; correct",
  );
  const both = await call("complete-habit", { habit_id: yoga, habit_ids: [run] });
  expect(both.text).toStartWith("habit_id cannot be given beside habit_ids; send one of them.");
});

test("a key of several habits without a date is refused on another day, and with one it is not", async () => {
  const { call } = await agent(stack, { sub: crypto.randomUUID() });
  const { id } = (await call("create-habit", { name: "Read" })).facts.habit;
  const today = { habit_ids: [id], idempotency_key: "read" };
  const dated = { habit_id: id, dates: ["2026-11-19"], idempotency_key: "dated" };
  await call("complete-habit", today);
  await call("complete-habit", dated);
  stack.clock.now = friday + 86_400_000;
  const again = await call("complete-habit", today);
  const replay = await call("complete-habit", dated);
  stack.clock.now = friday;
  expect(again.facts.errors.idempotency_key[0]).toContain("used for this on 2026-11-20; use a new key.");
  expect(replay.facts).toMatchObject({ replayed: true, today: "2026-11-20" });
});
