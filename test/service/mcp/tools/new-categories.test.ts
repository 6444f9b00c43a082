import { expect, test } from "bun:test";
import { useStack } from "../../../harness.ts";
import { agent } from "../../../support/mcp.ts";

const stack = await useStack({ travels: true });
stack.clock.now = Date.parse("2026-11-20T10:00:00Z");
const fresh = (claims: object = {}) => agent(stack, { sub: crypto.randomUUID(), ...claims });

const namesOf = async (token: string): Promise<string[]> =>
  (await stack.rest("GET", "/categories", { token })).body.data.map(({ name }: { name: string }) => name);

test("a new category is made with what goes into it, once, and only on purpose", async () => {
  const { call, token } = await fresh();
  const todo = await call("create-todo", { title: "Flights", new_category: "Travel" });
  expect(todo.facts.todo.category).toBe("Travel");
  expect(todo.text).toContain('in "Travel"');
  const packed = await call("create-todo", {
    new_category: "travel",
    todos: [{ title: "Pack" }, { title: "Visa" }],
  });
  expect(packed.facts.results.map((one: { todo: { category: string } }) => one.todo.category)).toEqual([
    "Travel",
    "Travel",
  ]);
  const habit = await call("create-habit", { name: "Stretch", new_category: "Body" });
  const moved = await call("complete-habit", {
    habit_id: habit.facts.habit.id,
    set: { new_category: "Mind" },
  });
  expect(moved.facts.habit.category).toBe("Mind");
  const changed = await call("update-todo", { todo_id: todo.facts.todo.id, new_category: "Trips" });
  expect(changed.facts.todo.category).toBe("Trips");
  expect(await namesOf(token)).toEqual(["Travel", "Body", "Mind", "Trips"]);
  const typo = await call("create-todo", { title: "x", category: "Travle" });
  expect([typo.isError, Object.keys(typo.facts.errors)]).toEqual([true, ["category"]]);
  expect(typo.text).toContain("new_category");
  const both = await call("create-todo", { title: "x", category: "Trips", new_category: "Y" });
  expect(both.text).toStartWith("The category field cannot be given together with new_category");
  expect(await namesOf(token)).toHaveLength(4);
});

test("a refused todo leaves no new category behind", async () => {
  const { call, token } = await fresh();
  const args = { title: "x", new_category: "Y", remind_at: "2020-01-01T09:00" };
  expect((await call("create-todo", args)).isError).toBe(true);
  expect(await namesOf(token)).toEqual([]);
});

test("a new category needs its own scope, wherever it is named", async () => {
  const { call } = await fresh({ scope: "todos:write habits:write" });
  const { id } = (await call("create-habit", { name: "Read" })).facts.habit;
  for (const [tool, args] of [
    ["create-todo", { title: "x", new_category: "Y" }],
    ["create-todo", { todos: [{ title: "x", new_category: "Y" }] }],
    ["create-habit", { name: "x", new_category: "Y" }],
    ["complete-habit", { habit_id: id, set: { new_category: "Y" } }],
    ["update-todo", { category: "A", rename_category: "B" }],
  ] as const) {
    const { status, headers } = (await call(tool, args)).answer;
    expect([tool, status]).toEqual([tool, 403]);
    expect(headers.get("www-authenticate")).toContain("categories:write");
  }
  const strict = { title: "x", new_category: null, rename_category: null };
  expect((await call("create-todo", { ...strict, rename_category: undefined })).isError).toBe(false);
});

test("a category is renamed by its name, and everything stays in it", async () => {
  const { call, token } = await fresh();
  const { id } = (await call("create-todo", { title: "Sweep", new_category: "Home" })).facts.todo;
  const args = { category: "HOME", rename_category: "House", idempotency_key: "rename" };
  const renamed = await call("update-todo", args);
  expect(renamed.facts.category).toBe("House");
  expect(renamed.text).toEndWith('Renamed the category "HOME" to "House".');
  expect((await call("update-todo", args)).facts.replayed).toBe(true);
  expect((await stack.rest("GET", `/todos/${id}`, { token })).body.category.name).toBe("House");
  const unknown = await call("update-todo", { category: "Home", rename_category: "X" });
  expect(unknown.facts.errors.category[0]).toContain('"House"');
  const both = await call("update-todo", { todo_id: id, category: "House", rename_category: "X" });
  expect(both.text).toStartWith("todo_id is not an argument beside rename_category");
});
