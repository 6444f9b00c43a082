import { afterAll, expect, test } from "bun:test";
import { useStack } from "../../harness.ts";
import { type ActionKey, openUndoDoor, whole } from "../../support/undo-door.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => page.close());
const stack = await useStack();
const { page, someone } = await openUndoDoor(stack);

test("what a tool, a script and a page change is logged with what it was before and after", async () => {
  const { agent, rest, sub, log } = await someone();
  const { id } = (await rest("POST", "/todos", { title: "Pay rent", due_date: "2030-01-01" })).body;
  await agent.call("update-todo", { todo_id: id, title: "Pay the rent", clear: ["due_date"] });
  await page.send(sub, "todo.toggle", { todo_id: id, is_completed: true });
  await rest("DELETE", `/todos/${id}`);
  const gone = await rest("DELETE", `/todos/${id}`);
  const rows = await log();
  expect(rows.map(({ door, tool, outcome, resource_name }) => [door, tool, outcome, resource_name])).toEqual([
    ["rest", "todo.create", "ok", "Pay rent"],
    ["mcp", "update-todo", "ok", "Pay the rent"],
    ["page", "todo.toggle", "ok", "Pay the rent"],
    ["rest", "todo.delete", "ok", "Pay the rent"],
    ["rest", "todo.delete", "not_found", null],
  ]);
  const images = rows.map(({ before, after }) => [before, after].map((json) => JSON.parse(json ?? "null")));
  expect(images[0]).toEqual([
    {},
    {
      [`todos/${id}`]: {
        title: "Pay rent",
        due_date: "2030-01-01",
        is_completed: false,
        is_important: false,
        recurrence_from: "due",
      },
    },
  ]);
  expect(images[1]).toEqual([
    { [`todos/${id}`]: { title: "Pay rent", due_date: "2030-01-01" } },
    { [`todos/${id}`]: { title: "Pay the rent", due_date: null } },
  ]);
  expect(images[3]).toEqual([
    { [`todos/${id}`]: expect.objectContaining({ title: "Pay the rent", is_completed: true }) },
    {},
  ]);
  expect(rows[4]).toMatchObject({ message: gone.body.message, arguments: `{"todo_id":${id}}` });
});

test("a repeat over REST, what changes nothing on a page and a read leave no row", async () => {
  const { rest, sub, log } = await someone();
  const headers = { "idempotency-key": crypto.randomUUID() };
  const token = await stack.issuer.token({ sub });
  for (const _ of [1, 2]) await stack.rest("POST", "/todos", { token, headers, body: { title: "Once" } });
  await rest("GET", "/todos");
  await page.send(sub, "user.configure", { day_start_hour: 3 });
  expect((await log()).map(({ tool }) => tool)).toEqual(["todo.create"]);
});

test("a reminder that follows its user's zone was not changed, and what is deleted with it keeps its name in the log", async () => {
  const { rest, sub, log, changes, undo, world } = await someone();
  const { id } = (await rest("POST", "/todos", { title: "Call home", due_date: "2031-03-03" })).body;
  await rest("PUT", `/todos/${id}/reminder`, { remind_at: "2031-03-03T09:00" });
  await page.send(sub, "user.configure", { time_zone: "Asia/Tokyo" });
  const before = await world();
  await rest("DELETE", `/todos/${id}`);
  const rows = await log();
  expect(rows.map(({ tool }) => tool)).toEqual(["todo.create", "reminder.set", "todo.delete"]);
  expect(rows[2]).toMatchObject({ resource_kind: "todo", resource_id: id, resource_name: "Call home" });
  expect(await undo((await changes()).slice(0, 1))).toEqual(whole(1));
  expect(await world()).toEqual(before);
});

test("everything that a run did comes back by one command, and goes again when that is taken back", async () => {
  const { agent, rest, sub, world, changes, undo } = await someone();
  const category = (await rest("POST", "/categories", { name: "Home" })).body.id;
  const todos: number[] = [];
  for (let n = 0; n < 40; n++) {
    const recurring = n < 3 ? { recurrence: "FREQ=WEEKLY" } : {};
    const body = {
      title: `Todo ${n}`,
      category_id: category,
      description: "x".repeat(n * 100),
      ...recurring,
    };
    todos.push((await rest("POST", "/todos", body)).body.id);
    if (n >= 10 && n < 15)
      await rest("POST", `/todos/${todos[n]}/reminder`, { remind_at: "2030-01-01T09:00:00" });
  }
  const habits: number[] = [];
  for (let n = 0; n < 5; n++)
    habits.push(
      (await rest("POST", "/habits", { name: `Habit ${n}`, type: "good", frequency: "daily" })).body.id,
    );
  await rest("POST", `/habits/${habits[0]}/complete`, { date: await yesterday(sub) });
  const before = await world();
  const already = (await changes()).length;
  for (const [n, habit_id] of habits.entries()) {
    if (n > 0) await agent.call("complete-habit", { habit_id });
    else await rest("DELETE", `/habits/${habit_id}`);
  }
  for (const id of todos.slice(20, 30)) await agent.call("update-todo", { todo_id: id, title: "Changed" });
  await agent.call("toggle-todo", { todo_id: todos[0] });
  await agent.call("create-todo", {
    todos: [{ title: "New" }, { title: "New too", remind_at: "2030-02-01T09:00" }],
  });
  await rest("DELETE", `/categories/${category}`);
  for (const id of todos) await rest("DELETE", `/todos/${id}`);
  const after = await world();
  const run = await changes(already);
  expect(run).toHaveLength(58);
  expect(await undo(run, true)).toEqual(whole(58));
  expect(await world()).toEqual(after);
  expect(await undo(run)).toEqual(whole(58));
  expect(await world()).toEqual(before);
  expect(await undo(run)).toEqual(
    run.map((key) => ({ ...key, undone: "none", conflicts: [{ row: null, why: "taken_back", fields: [] }] })),
  );
  const undos = await changes(already);
  expect(undos).toHaveLength(58);
  expect(await undo(undos)).toEqual(whole(58));
  expect(await world()).toEqual(after);
  expect(await undo(run)).toEqual(whole(58));
  expect(await world()).toEqual(before);
});

async function yesterday(sub: string): Promise<string> {
  const { body } = await stack.rest("GET", "/me", { token: await stack.issuer.token({ sub }) });
  return new Date(Date.parse(body.today) - 86_400_000).toISOString().slice(0, 10);
}

test("what somebody else changed since stays, and is named; the rest comes back", async () => {
  const { rest, other, undo, changes } = await someone();
  const { id } = (await rest("POST", "/todos", { title: "Pay rent", context: "@home" })).body;
  await rest("PATCH", `/todos/${id}`, { title: "Pay the rent", context: "@desk" });
  await other("PATCH", `/todos/${id}`, { title: "Pay the rent today" });
  const [, edit, create] = await changes();
  expect(await undo([edit as ActionKey])).toEqual([
    expect.objectContaining({
      undone: "part",
      conflicts: [{ row: `todos/${id}`, why: "changed_since", fields: ["title"] }],
    }),
  ]);
  expect((await rest("GET", `/todos/${id}`)).body).toMatchObject({
    title: "Pay the rent today",
    context: "@home",
  });
  expect(await undo([create as ActionKey])).toEqual([
    expect.objectContaining({
      undone: "none",
      conflicts: [{ row: `todos/${id}`, why: "changed_since", fields: ["title"] }],
    }),
  ]);
});

test("a habit's whole life is taken back by one command, and comes back by another", async () => {
  const { rest, world, changes, undo } = await someone();
  const before = await world();
  const { id } = (await rest("POST", "/habits", { name: "Walk", type: "good", frequency: "daily" })).body;
  await rest("PATCH", `/habits/${id}`, { name: "Run" });
  await rest("POST", `/habits/${id}/complete`);
  await rest("DELETE", `/habits/${id}/complete`);
  await rest("POST", `/habits/${id}/complete`);
  await rest("PATCH", `/habits/${id}`, { frequency: "weekly" });
  const alive = await world();
  await rest("DELETE", `/habits/${id}`);
  expect(await undo(await changes())).toEqual(whole(7));
  expect(await world()).toEqual(before);
  const undos = await changes();
  expect(await undo(undos)).toEqual(whole(7));
  expect(await world()).toEqual(before);
  const [goneAgain] = await changes();
  expect(await undo([goneAgain as ActionKey])).toEqual(whole(1));
  expect(await world()).toEqual(alive);
});

test("two undos at the same time are one", async () => {
  const { rest, changes, undo, log } = await someone();
  const { id } = (await rest("POST", "/todos", { title: "Keep me" })).body;
  await rest("DELETE", `/todos/${id}`);
  const [deletion] = await changes();
  const ends = await Promise.all(Array.from({ length: 8 }, () => undo([deletion as ActionKey])));
  expect(ends.flat().filter(({ undone }) => undone === "whole")).toHaveLength(1);
  expect((await log()).filter(({ tool }) => tool === "action.undo")).toHaveLength(1);
  expect((await rest("GET", `/todos/${id}`)).body.title).toBe("Keep me");
});

test("what is forgotten is gone from the log, the stored answers and all notes, and other things are not", async () => {
  const { agent, rest, sub, undo, changes, log } = await someone();
  const token = await stack.issuer.token({ sub });
  const headers = { "idempotency-key": crypto.randomUUID() };
  const secret = { title: "Buy the ring", description: "for the proposal" };
  const { id } = (await stack.rest("POST", "/todos", { token, headers, body: secret })).body;
  const kept = (await rest("POST", "/todos", { title: "Buy milk" })).body.id;
  await agent.call("update-todo", {
    todo_id: id,
    title: "Buy the golden ring",
    description: "x".repeat(4_900),
  });
  expect(await page.send(sub, "action.forget", { kind: "todo", id })).toMatchObject({ code: "conflict" });
  await rest("DELETE", `/todos/${id}`);
  await rest("DELETE", `/todos/${kept}`);
  const [keptDeletion, deletion] = await changes();
  for (const _ of ["once", "again"])
    expect(await page.send(sub, "action.forget", { kind: "todo", id })).toBeNull();
  const stored: string[] = [];
  for (const table of ["action_log", "action_images", "inbox", "deletions", "todos"]) {
    const { rows } = await page.pool.query(`select t::text as text from ${table} t where user_id = $1`, [
      sub,
    ]);
    stored.push(...rows.map(({ text }) => text));
  }
  expect(stored.filter((text) => /ring|proposal|xxxx/.test(text))).toEqual([]);
  expect(await log()).toHaveLength(5);
  const repeat = await stack.rest("POST", "/todos", { token, headers, body: secret });
  expect([repeat.status, repeat.body.message]).toEqual([404, "This was deleted and then forgotten."]);
  expect(await undo([deletion as ActionKey])).toEqual([expect.objectContaining({ undone: "none" })]);
  expect(await undo([keptDeletion as ActionKey])).toEqual(whole(1));
  expect((await rest("GET", `/todos/${kept}`)).body.title).toBe("Buy milk");
  const [returned] = await changes();
  await rest("DELETE", `/todos/${kept}`);
  await page.send(sub, "action.forget", { kind: "todo", id: kept });
  expect(await undo([returned as ActionKey])).toEqual([expect.objectContaining({ undone: "none" })]);
});

test("a tool of an agent that has the name of an undo is none", async () => {
  const { agent, log, undo } = await someone();
  await agent.call("action.undo", { called_at: "some day", request_id: [] });
  const [row] = (await log()) as ActionKey[];
  expect(row).toMatchObject({ tool: "action.undo", door: "mcp" });
  expect(await undo([row as ActionKey])).toEqual([expect.objectContaining({ undone: "none" })]);
});
