import { expect, test } from "bun:test";
import { conflicts } from "../../../../shared/domain/conflicts.ts";
import { useStack } from "../../../harness.ts";
import { newcomer } from "../../../support/mcp.ts";

const stack = await useStack({ travels: true });
const friday = Date.parse("2026-11-20T10:00:00Z");
stack.clock.now = friday;

/** A person with todos, and the titles and the logged calls that they have since. */
async function withTodos(...todos: readonly object[]) {
  const person = await newcomer(stack);
  const { results = [] } = (await person.call("create-todo", { todos })).facts;
  const before = (await person.logged()).length;
  return {
    ...person,
    ids: results.map(({ todo }: { todo: { id: number } }) => todo.id) as number[],
    titles: async () =>
      (await person.call("get-pending-todos")).facts.todos.map(({ title }: { title: string }) => title),
    log: async () => (await person.logged()).slice(before).map(({ tool, outcome }) => `${tool} ${outcome}`),
  };
}

test("todos are created by one call, which tells of each and is one row in the log", async () => {
  const { call, logged } = await newcomer(stack);
  const todos = [
    { title: "Buy milk", due_date: "2026-12-01" },
    { title: "" },
    { title: "Call", duedate: "2026-12-01" },
    { title: "Swim", recurrence: "FREQ=WEEKLY", remind_at: "2099-01-01T09:00" },
    { title: "Ski", category_id: 999_999 },
    7,
    { title: "Read", idempotency_key: "own" },
  ];
  const { facts, text, isError } = await call("create-todo", { todos });
  expect([isError, facts.done]).toEqual([false, 2]);
  const [milk, empty, unknown, swim, ski, number, keyed] = facts.results;
  expect(milk.todo).toMatchObject({ title: "Buy milk", due_date: "2026-12-01" });
  expect(swim.todo).toMatchObject({
    title: "Swim",
    recurrence: "FREQ=WEEKLY",
    remind_at: "2099-01-01T09:00",
  });
  for (const refused of [empty, unknown, ski, number, keyed]) expect(refused.code).toBe("invalid");
  expect(unknown.message).toMatch(/^duedate is not .*, which takes title, .*; did you mean due_date\?/);
  expect(ski.errors).toEqual({ category_id: [expect.any(String)] });
  expect(text).toContain("2 of 7 done.");
  expect(text).toContain(`Created #${milk.todo.id} "Buy milk"`);
  expect(text).toContain("Number 2 was refused: The title field is required");
  expect(await logged()).toMatchObject([{ tool: "create-todo", outcome: "ok", replayed: false }]);
  expect((await call("get-pending-todos", { status: "all" })).facts.total).toBe(2);
});

test("one key covers all that are created, on both workers and at the same time", async () => {
  const { call, titles, log } = await withTodos();
  const todos = Array.from({ length: 25 }, (_, index) => ({ title: `t${index}` }));
  const args = { todos, idempotency_key: "one" };
  const answers = await Promise.all(Array.from({ length: 6 }, () => call("create-todo", args)));
  const results = answers.map(({ facts }) => facts.results);
  expect(new Set(results.map((one) => JSON.stringify(one))).size).toBe(1);
  expect(answers.filter(({ facts }) => facts.replayed)).toHaveLength(5);
  expect(await titles()).toEqual(todos.map(({ title }) => title));
  for (const other of [{ todos: todos.slice(1) }, { title: "t0" }]) {
    const { isError, facts } = await call("create-todo", { ...other, idempotency_key: "one" });
    expect([isError, facts.code, Object.keys(facts.errors)]).toEqual([true, "invalid", ["idempotency_key"]]);
  }
  expect((await log()).filter((row) => row.startsWith("create-todo"))).toHaveLength(8);
});

test("when none can be created the call is refused, and its key is free for the corrected one", async () => {
  const { call, logged } = await newcomer(stack);
  const wrong = [
    [{ title: "" }, { title: "t", category_id: 999_999 }],
    [{ title: "t", category: "Nope" }],
    [7],
  ];
  for (const todos of wrong) {
    const { isError, facts } = await call("create-todo", { todos, idempotency_key: "k" });
    expect([isError, facts.code, facts.results]).toEqual([true, "invalid", undefined]);
  }
  const { isError, facts } = await call("create-todo", { todos: [{ title: "t" }], idempotency_key: "k" });
  expect([isError, facts.done, facts.replayed]).toEqual([false, 1, undefined]);
  const outcomes = (await logged()).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(["invalid", "invalid", "invalid", "ok"]);
});

test("arguments beside todos are for all that do not give their own", async () => {
  const { call, titles, wrong } = await withTodos();
  const { facts } = await call("create-todo", {
    context: "shop",
    due_date: "2026-11-21",
    todos: [{ title: "Milk" }, { title: "Stamps", context: "post", due_date: null }, { title: "" }],
  });
  expect(facts.done).toBe(2);
  expect(facts.results[0].todo).toMatchObject({ title: "Milk", context: "shop", due_date: "2026-11-21" });
  expect(facts.results[1].todo).toMatchObject({ context: "post", due_date: "2026-11-21" });
  expect(Object.keys(facts.results[2].errors)).toEqual(["title"]);
  const todos = [{ title: "a" }, { title: "b" }];
  expect(await wrong("create-todo", { due_date: "soon", todos })).toEqual(["due_date"]);
  expect(await titles()).toEqual(["Milk", "Stamps"]);
});

test("todos are changed alike by one call, with one result each and one row, and by its repeat not again", async () => {
  const { call, ids, log } = await withTodos({ title: "Milk" }, { title: "Rice" }, { title: "Tea" });
  await call("toggle-todo", { todo_id: ids[2] });
  const todo_ids = [String(ids[0]), 999_999_999, ids[1], ids[2]];
  const remind_at = "2026-11-21T09:00";
  const args = { remind_at, idempotency_key: "k" };
  const { facts, text } = await call("update-todo", { todo_ids, ...args });
  expect(facts.results).toEqual([
    { todo: { id: ids[0], title: "Milk", remind_at, reaches: "nobody" } },
    { todo_id: 999_999_999, code: "not_found", message: "Todo not found." },
    { todo: { id: ids[1], title: "Rice", remind_at, reaches: "nobody" } },
    { todo_id: ids[2], code: "conflict", message: expect.any(String) },
  ]);
  expect(facts.done).toBe(2);
  expect(text).toContain("2 of 4 done.\n");
  expect(text).toContain("#999999999 was refused: Todo not found.");
  const again = await call("update-todo", { todo_ids: todo_ids.map(String), ...args });
  expect(again.facts).toEqual({ ...facts, now: undefined, replayed: true });
  expect(await log()).toEqual(["toggle-todo ok", "update-todo ok", "update-todo ok"]);
});

test("what is wrong with a change refuses all of it", async () => {
  const { ids, wrong, titles, log } = await withTodos({ title: "Milk" }, { title: "Rice" });
  for (const [change, name] of [
    [{ category: "Nope" }, "category"],
    [{ remind_at: "2026-11-19T09:00" }, "remind_at"],
    [{ due_date: "tomorrow" }, "due_date"],
    [{ recurrence: "FREQ=HOURLY" }, "recurrence"],
    [{ title: "x", constructor: "x" }, "constructor"],
    [{}, "todo_id"],
  ] as const)
    expect([name, await wrong("update-todo", { ...change, todo_ids: ids })]).toEqual([name, [name]]);
  expect(await titles()).toEqual(["Milk", "Rice"]);
  expect(new Set(await log())).toEqual(new Set(["update-todo invalid", "get-pending-todos ok"]));
});

test("a call of which nothing was done is refused, and logged as that; somebody else's todos are not there", async () => {
  const { ids: foreign } = await withTodos({ title: "Theirs" });
  const { call, ids, log } = await withTodos({ title: "Mine" });
  const missing = await call("update-todo", { todo_ids: [foreign[0], 999_999_999], title: "x" });
  expect(missing).toMatchObject({ isError: true, facts: { code: "not_found" } });
  expect(missing.facts.results).toBeUndefined();
  expect(missing.text).toStartWith("Todo not found; get-pending-todos lists the ids");
  const done = await call("update-todo", { todo_ids: [ids[0], 999_999_999], title: "x" });
  expect([done.isError, done.facts.done]).toEqual([false, 1]);
  expect(await log()).toEqual(["update-todo not_found", "update-todo ok"]);
});

test("todos are deleted by one call, whose answer has their titles, and the way back", async () => {
  const { call, ids, titles } = await withTodos(
    { title: "Milk" },
    { title: 'Tea "green"' },
    { title: "Rice" },
  );
  const args = { todo_ids: ids.slice(0, 2), idempotency_key: "gone" };
  const { facts, text } = await call("delete-todo", args);
  expect(facts.results).toEqual([
    { deleted_todo_id: ids[0], title: "Milk", todo: { id: ids[0], title: "Milk" } },
    { deleted_todo_id: ids[1], title: 'Tea "green"', todo: { id: ids[1], title: 'Tea "green"' } },
  ]);
  const page = `${stack.config.baseUrl}/account/actions`;
  expect(text).toContain(`Deleted todo #${ids[1]} "Tea \\"green\\""\n`);
  expect(text).toContain(`for 30 days: ${page}`);
  expect(facts.brought_back_at).toBe(page);
  const again = await call("delete-todo", args);
  expect(again.facts).toMatchObject({ results: facts.results, replayed: true });
  const one = await call("delete-todo", { todo_id: ids[2] });
  expect(one.facts).toMatchObject({ deleted_todo_id: ids[2], title: "Rice" });
  expect(await titles()).toEqual([]);
});

test("habits are completed on several days by one call, and taken back", async () => {
  const { call, wrong } = await newcomer(stack);
  const [yoga, run] = await Promise.all(
    ["Yoga", "Run"].map(async (name) => (await call("create-habit", { name })).facts.habit.id),
  );
  await call("complete-habit", { habit_id: run, date: "2026-11-19" });
  const dates = ["2026-11-18", "2026-11-19", "2026-11-20"];
  const { facts, text } = await call("complete-habit", { habit_ids: [yoga, run], dates });
  expect(facts.done).toBe(5);
  expect(facts.results[2]).toMatchObject({ date: "2026-11-20", habit: { id: yoga, streak_count: 3 } });
  expect(facts.results[4]).toMatchObject({ habit_id: run, date: "2026-11-19", code: "conflict" });
  const { message } = conflicts.habitCompleted("on 2026-11-19").refusal;
  expect(text).toContain(`#${run} on 2026-11-19 was refused: ${message}`);
  const back = await call("complete-habit", { habit_id: yoga, dates: dates.slice(1), undo: true });
  expect(back.facts.results.at(-1).habit).toMatchObject({ id: yoga, streak_count: 1 });
  expect(await wrong("complete-habit", { habit_ids: [yoga, run], dates: ["soon"] })).toEqual(["dates"]);
  const week = [...dates, "2026-11-17", "2026-11-16", "2026-11-15", "2026-11-14"];
  const many = await call("complete-habit", {
    habit_ids: [yoga, run, yoga + run, yoga + run + 1],
    dates: week,
  });
  expect(many.text).toStartWith("One call does at most 25 things; these are 28; correct");
  expect(await wrong("complete-habit", { habit_id: yoga, habit_ids: [run] })).toEqual(["habit_id"]);
});

test("a key of several habits without a date is refused on another day, and with one it is not", async () => {
  const { call } = await newcomer(stack);
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
