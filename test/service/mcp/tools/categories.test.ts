import { expect, test } from "bun:test";
import { type JsonBody, useStack } from "../../../harness.ts";
import { agent, newcomer } from "../../../support/mcp.ts";
import { patiently } from "../../../support/patiently.ts";

const stack = await useStack();

/** A person with categories, and an agent of theirs, perhaps with fewer scopes. */
async function withCategories(names: readonly string[], claims: object = {}) {
  const owner = await newcomer(stack);
  const ids: number[] = [];
  for (const name of names) ids.push((await owner.rest("POST", "/categories", { name })).body.id);
  return { ...owner, ...(await agent(stack, { sub: owner.sub, ...claims })), ids };
}

const namesOf = async ({ rest }: Awaited<ReturnType<typeof newcomer>>): Promise<string[]> =>
  (await rest("GET", "/categories")).body.data.map(({ name }: { name: string }) => name);

test("a category is found by its name, whatever the case, and cleared by its word", async () => {
  const { call } = await withCategories(["Home", "Work", "work"]);
  const todo = await call("create-todo", { title: "x", category: " HOME " });
  expect(todo.facts.todo.category).toBe("Home");
  const todo_id = todo.facts.todo.id;
  const changed = async (args: object) => (await call("update-todo", { todo_id, ...args })).facts.todo;
  expect((await changed({ category: "work" })).category).toBe("work");
  expect((await changed({ category: "WORK" })).category).toBe("Work");
  expect(await changed({ clear: ["category"] })).not.toHaveProperty("category");
  const habit = await call("create-habit", { name: "Sweep", category: "home" });
  expect(habit.facts.habit.category).toBe("Home");
});

test("one that is unknown is refused with the known ones, and somebody else's is unknown", async () => {
  const { call } = await withCategories(["Home", "Work"]);
  await withCategories(["Secret"]);
  const { id } = (await call("create-todo", { title: "x" })).facts.todo;
  for (const [tool, args] of [
    ["create-todo", { title: "x" }],
    ["create-habit", { name: "x" }],
    ["update-todo", { todo_id: id }],
    ["get-pending-todos", {}],
  ] as const) {
    const { isError, text, facts } = await call(tool, { ...args, category: "Secret" });
    expect([isError, facts.code, Object.keys(facts.errors)]).toEqual([true, "invalid", ["category"]]);
    expect(facts.errors.category[0]).toContain('"Home", "Work"');
    expect(text).toStartWith('The category field must name a category: "Home", "Work"');
  }
  const { call: none } = await newcomer(stack);
  expect((await none("get-pending-todos", { category: "Home" })).text).toContain("there are none yet");
});

test("they are not listed to a token that may not list categories", async () => {
  const { call } = await withCategories(["Home"], { scope: "todos:write" });
  expect((await call("create-todo", { title: "x", category: "home" })).facts.todo.category).toBe("Home");
  for (const args of [
    { title: "x", category: "Nope" },
    { todos: [{ title: "x", category: "Nope" }, { title: "y" }] },
  ]) {
    const { text, facts } = await call("create-todo", args);
    const [{ code, errors }] = facts.results ?? [facts];
    expect([code, errors]).toEqual(["invalid", { category: [expect.any(String)] }]);
    expect(text + JSON.stringify(facts)).not.toContain("Home");
  }
});

test("many are listed once, and not without end", async () => {
  const { call } = await withCategories(Array.from({ length: 20 }, (_, n) => `${n}; `.padEnd(255, "x")));
  const todos = [{ title: "t" }, { title: "t", category: "a" }, { title: "t", category: "b" }];
  const { text, facts } = await call("create-todo", { todos });
  const [, one, other] = facts.results.map(({ errors }: JsonBody) => errors?.category[0]);
  const alone = await call("create-todo", { title: "t", category: "a" });
  expect(alone.text).toContain("18 more. new_category makes a new one.");
  expect(one).toEndWith('x" and 18 more. new_category makes a new one.');
  expect(other).toBe("The category field must name a category of yours.");
  expect(text.length).toBeLessThan(1_000);
});

test("one is given by name or by id, not by both", async () => {
  const { call, wrong, ids } = await withCategories(["Home"]);
  const args = { title: "x", category_id: String(ids[0]) };
  expect((await call("create-todo", args)).facts.todo.category).toBe("Home");
  expect(await wrong("create-todo", { ...args, category: "Home" })).toEqual(["category"]);
});

test("one that is deleted meanwhile is never referred to", async () => {
  const names = Array.from({ length: 12 }, (_, n) => `Category ${n}`);
  const { call, rest, ids } = await withCategories(names);
  const isBusy = ({ status }: { status: number }) => status === 503;
  const answers = await Promise.all(
    names.flatMap((category, n) => [
      call("create-todo", { title: "x", category }),
      patiently(() => rest("DELETE", `/categories/${ids[n]}`), isBusy),
      call("create-todo", { title: "y", category }),
    ]),
  );
  for (const answer of answers)
    expect(["ok", "invalid", 204, 404]).toContain(
      "facts" in answer ? (answer.facts?.code ?? "ok") : answer.status,
    );
  const { todos } = (await call("get-pending-todos")).facts;
  expect(todos.some((todo: object) => "category" in todo)).toBe(false);
});

test("a new one is made with what goes into it, once, and only on purpose", async () => {
  const person = await newcomer(stack);
  const { call, wrong } = person;
  const made = await call("create-todo", { title: "Flights", new_category: "Travel" });
  expect(made.facts.todo.category).toBe("Travel");
  expect(made.text).toContain('in "Travel"');
  const todos = [{ title: "Pack" }, { title: "Visa" }];
  const { results } = (await call("create-todo", { new_category: "travel", todos })).facts;
  expect(results.map(({ todo }: JsonBody) => todo.category)).toEqual(["Travel", "Travel"]);
  const { id } = (await call("create-habit", { name: "Stretch", new_category: "Body" })).facts.habit;
  const moved = await call("update-habit", { habit_id: id, new_category: "Mind" });
  expect(moved.facts.habit.category).toBe("Mind");
  const changed = await call("update-todo", { todo_id: made.facts.todo.id, new_category: "Trips" });
  expect(changed.facts.todo.category).toBe("Trips");
  expect(await namesOf(person)).toEqual(["Travel", "Body", "Mind", "Trips"]);
  expect((await call("create-todo", { title: "x", category: "Travle" })).text).toContain("new_category");
  const both = { title: "x", category: "Trips", new_category: "Y" };
  expect(await wrong("create-todo", both)).toEqual(["category"]);
  const past = { title: "x", new_category: "Y", remind_at: "2020-01-01T09:00" };
  expect(await wrong("create-todo", past)).toEqual(["remind_at"]);
  expect(await namesOf(person)).toHaveLength(4);
});

test("a new one needs its own scope, wherever it is named", async () => {
  const { call } = await newcomer(stack, { scope: "todos:write habits:write" });
  const { id } = (await call("create-habit", { name: "Read" })).facts.habit;
  for (const [tool, args] of [
    ["create-todo", { title: "x", new_category: "Y" }],
    ["create-todo", { todos: [{ title: "x", new_category: "Y" }] }],
    ["create-todo", { todos: '[{ "title": "x", "new_category": "Y" }]' }],
    ["create-habit", { name: "x", new_category: "Y" }],
    ["update-habit", { habit_id: id, new_category: "Y" }],
    ["update-todo", { category: "A", rename_category: "B" }],
  ] as const) {
    const { status, headers } = (await call(tool, args)).answer;
    const asked = headers.get("www-authenticate");
    expect([tool, status, asked]).toEqual([tool, 403, expect.stringContaining("categories:write")]);
  }
  expect((await call("create-todo", { title: "x", new_category: null })).isError).toBe(false);
});

test("one is renamed by its name, and everything stays in it", async () => {
  const { call, rest, wrong } = await newcomer(stack);
  const { id } = (await call("create-todo", { title: "Sweep", new_category: "Home" })).facts.todo;
  const args = { category: "HOME", rename_category: "House", idempotency_key: "rename" };
  const renamed = await call("update-todo", args);
  expect(renamed.facts.category).toBe("House");
  expect(renamed.text).toEndWith('Renamed the category "HOME" to "House".\nReplaced name: "Home"');
  expect((await call("update-todo", args)).facts.replayed).toBe(true);
  expect((await rest("GET", `/todos/${id}`)).body.category.name).toBe("House");
  const unknown = await call("update-todo", { category: "Home", rename_category: "X" });
  expect(unknown.facts.errors.category[0]).toContain('"House"');
  const both = { todo_id: id, category: "House", rename_category: "X" };
  expect(await wrong("update-todo", both)).toEqual(["todo_id"]);
});
