import { expect, test } from "bun:test";
import { useStack } from "../../../harness.ts";
import { agent } from "../../../support/mcp.ts";

const stack = await useStack({ travels: true });
stack.clock.now = Date.parse("2026-11-20T10:00:00Z");
const fresh = () => agent(stack, { sub: crypto.randomUUID() });

const describing = [
  "description",
  "due_date",
  "time_of_day",
  "context",
  "category",
  "recurrence",
  "remind_at",
];
const all = (names: readonly string[], value: unknown) =>
  Object.fromEntries(names.map((name) => [name, value]));

test.each([null, "", " "])("an optional argument that is %j counts as not given", async (none) => {
  const { call } = await fresh();
  const others = { ...all(describing, none), estimated_minutes: null, idempotency_key: none };
  const made = await call("create-todo", { title: "Strict", ...others, category_id: null, todos: none });
  const todo = { id: made.facts.todo.id, title: "Strict" };
  expect(made.facts.todo).toEqual(todo);
  const change = { todo_id: todo.id, todo_ids: null, title: "Kept", ...others, clear: [] };
  expect((await call("update-todo", change)).facts.todo).toEqual({ ...todo, title: "Kept" });
  expect((await call("toggle-todo", { todo_id: todo.id, completed: null })).isError).toBe(false);
  const habit = await call("create-habit", {
    name: "Read",
    ...all(["type", "grace_days", "time_of_day"], none),
  });
  const completion = { habit_id: habit.facts.habit.id, date: none, undo: null };
  expect((await call("complete-habit", completion)).isError).toBe(false);
  expect((await call("get-today-habits", { all: null, time_of_day: none })).facts.habits).toHaveLength(1);
  const filters = { ...all(["query", "due", "context", "category", "cursor"], none), limit: null };
  expect((await call("get-pending-todos", { ...filters, overdue_only: null })).facts.total).toBe(0);
});

test("an empty list counts as not given, and nulls beside a list and within it do not matter", async () => {
  const { call } = await fresh();
  const one = await call("create-todo", { title: "One", todos: [] });
  const { id } = one.facts.todo;
  const nulls = all(["title", ...describing], null);
  const two = await call("create-todo", {
    ...nulls,
    todos: [{ ...nulls, title: "Two", estimated_minutes: null }],
  });
  expect(two.facts.results[0].todo).toMatchObject({ title: "Two" });
  expect((await call("update-todo", { todo_id: id, todo_ids: [], title: "First" })).isError).toBe(false);
  const several = await call("update-todo", { ...nulls, todo_id: null, todo_ids: [id], context: "home" });
  expect(several.facts.done).toBe(1);
});

test("nulls make no other request of one with the same key", async () => {
  const { call } = await fresh();
  await call("create-todo", { title: "Once", idempotency_key: "k" });
  const again = await call("create-todo", { title: "Once", due_date: null, idempotency_key: "k" });
  expect(again.facts.replayed).toBe(true);
});

test("a null that seems to mean clearing is answered with clear", async () => {
  const { call } = await fresh();
  const { id } = (await call("create-todo", { title: "x", due_date: "2026-11-22" })).facts.todo;
  for (const which of [{ todo_id: id }, { todo_ids: [id] }]) {
    const { isError, text } = await call("update-todo", { ...which, due_date: null });
    expect([isError, text]).toEqual([true, expect.stringContaining("empty fields by clear")]);
  }
  expect((await call("get-pending-todos")).facts.todos[0].due_date).toBe("2026-11-22");
});

test("an unknown argument is refused, also as null", async () => {
  const { call } = await fresh();
  const { facts } = await call("create-todo", { title: "x", due: null });
  expect(Object.keys(facts.errors)).toEqual(["due"]);
});
