import { afterAll, expect, test } from "bun:test";
import { pruneDeletions } from "../../../workers/upkeep/old-rows.ts";
import { useStack } from "../../harness.ts";
import { type ActionKey, openUndoDoor, whole } from "../../support/undo-door.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => page.close());
const stack = await useStack();
const { page, someone } = await openUndoDoor(stack);

const several = (count: number, text: string, others: object = {}) => ({
  todos: Array.from({ length: count }, (_, index) => ({ title: `${text} ${index}`, ...others })),
});

test("what is forgotten is gone also where a row had no room for it, or another thing's row has its name", async () => {
  const { agent, rest, sub, log, world } = await someone();
  const { id: category_id } = (await rest("POST", "/categories", { name: "Divorce" })).body;
  await agent.call("create-todo", several(25, "Secret", { description: "x".repeat(90) }));
  await agent.call("create-todo", { title: "See somebody", category: "Divorce" });
  await agent.call("create-todo", { title: "Refused", category: "Nowhere" });
  const { todos = [] } = await world();
  const last = Number(todos.find(({ title }) => title === "Secret 24")?.id);
  for (const path of [`/todos/${last}`, `/categories/${category_id}`]) await rest("DELETE", path);
  await page.send(sub, "action.forget", { kind: "todo", id: last });
  await page.send(sub, "action.forget", { kind: "category", id: category_id });
  const stored = JSON.stringify(await log());
  expect(stored).not.toContain("Secret 24");
  expect(stored).not.toContain("Divorce");
  expect(stored).toContain("See somebody");
});

test("a category that a person uses stays, however much of it an agent made", async () => {
  const { agent, rest, sub, changes, undo } = await someone();
  const { id } = (await rest("POST", "/categories", { name: "Moving" })).body;
  for (let call = 0; call < 9; call++)
    await agent.call("create-todo", several(25, `Box ${call}`, { category_id: id }));
  const agents = await changes();
  const mine = await page.send(sub, "todo.create", { title: "Cancel the lease", category_id: id });
  const ends = await undo(agents);
  expect(ends.filter(({ undone }) => undone === "whole")).toHaveLength(9);
  expect(ends.at(-1)).toMatchObject({ undone: "none", conflicts: [{ why: "in_use" }] });
  expect((await rest("GET", `/todos/${mine.id}`)).body.category.id).toBe(id);
});

test("a todo of somebody else returns into the agent's category from which the agent took it, and that stays", async () => {
  const { rest, other, changes, undo } = await someone();
  const { id: category_id } = (await rest("POST", "/categories", { name: "Moving" })).body;
  const { id } = (await other("POST", "/todos", { title: "Cancel the lease", category_id })).body;
  await rest("PATCH", `/todos/${id}`, { title: "Lease", category_id: null });
  await other("PATCH", `/todos/${id}`, { title: "Cancel it" });
  const agents = (await changes()).toSpliced(0, 1).toSpliced(1, 1);
  const ends = await undo(agents);
  expect(ends).toMatchObject([
    { undone: "part", conflicts: [{ row: `todos/${id}`, why: "changed_since", fields: ["title"] }] },
    { undone: "none", conflicts: [{ row: `categories/${category_id}`, why: "in_use" }] },
  ]);
  expect((await rest("GET", `/todos/${id}`)).body).toMatchObject({
    title: "Cancel it",
    category: { id: category_id },
  });
});

test("no rule comes back to a todo that has lost its date", async () => {
  const { rest, sub, changes, undo } = await someone();
  const made = { title: "Water", due_date: "2031-03-03", recurrence: "FREQ=DAILY" };
  const { id } = (await rest("POST", "/todos", made)).body;
  await rest("PATCH", `/todos/${id}`, { recurrence: null, title: "Water them" });
  const [agents] = await changes();
  await page.send(sub, "todo.update", { todo_id: id, due_date: null });
  expect(await undo([agents as ActionKey])).toEqual([expect.objectContaining({ undone: "part" })]);
  expect((await rest("GET", `/todos/${id}`)).body).toMatchObject({
    title: "Water",
    due_date: null,
    recurrence: null,
  });
});

test("a reminder is taken back however exactly its wall time was given", async () => {
  const { rest, changes, undo } = await someone();
  const { id } = (await rest("POST", "/todos", { title: "Call" })).body;
  for (const seconds of ["", ":00.5", ":00.1234567", ":00.123456789", ":00.999999999"]) {
    const remind_at = `2030-01-01T09:00${seconds}`;
    expect((await rest("PUT", `/todos/${id}/reminder`, { remind_at })).status).toBe(200);
    const [set] = await changes();
    expect(await undo([set as ActionKey])).toEqual(whole(1));
  }
});

test("a group that is refused as a whole has its failed operation in the log", async () => {
  const { rest, log } = await someone();
  const create = (title: string) => ({ method: "POST", path: "/todos", body: { title } });
  const { status } = await rest("POST", "/batch", {
    atomic: true,
    operations: [create("One"), { method: "DELETE", path: "/todos/999999999" }, create("Two")],
  });
  expect(status).toBe(200);
  expect(await log()).toEqual([
    expect.objectContaining({ tool: "todo.delete", outcome: "not_found", before: null, after: null }),
  ]);
});

test("of more than a worker does in one go, as many actions as fit are taken back, and the rest stand", async () => {
  const { agent, changes, undo, world } = await someone();
  await agent.call("create-todo", several(25, "Long"));
  const todo_ids = (await world()).todos?.map((todo) => Number(todo.id));
  const before = await world();
  for (let call = 0; call < 10; call++)
    await agent.call("update-todo", { todo_ids, description: String(call).repeat(4_500) });
  const actions = (await changes()).slice(0, 10);
  const preview = await undo(actions, true);
  expect(preview).toEqual(whole(2));
  for (let done = 0; done < actions.length; ) {
    const ends = await undo(actions.slice(done));
    expect(ends).toEqual(whole(2));
    done += ends.length;
  }
  expect(await world()).toEqual(before);
});

type Someone = Awaited<ReturnType<typeof someone>>;

const count = async (table: string, { sub }: Someone): Promise<number> =>
  (await page.pool.query(`select from ${table} t where user_id = $1`, [sub])).rowCount ?? 0;

async function completedHabit({ rest }: Someone): Promise<number> {
  const { id } = (await rest("POST", "/habits", { name: "Walk", type: "good", frequency: "daily" })).body;
  await rest("POST", `/habits/${id}/complete`);
  return id;
}

test("completions of a deleted habit count nowhere until it comes back", async () => {
  const ada = await someone();
  const { rest, undo, changes } = ada;
  const id = await completedHabit(ada);
  await completedHabit(ada);
  const strip = async () => Object.values((await rest("GET", "/dashboard")).body.activity_strip).at(-1);
  expect(await strip()).toBe(2);
  await rest("DELETE", `/habits/${id}`);
  expect(await strip()).toBe(1);
  expect((await rest("GET", `/habits/${id}/completions`)).status).toBe(404);
  expect(await count("habit_completions", ada)).toBe(2);
  expect(await undo((await changes()).slice(0, 1))).toEqual(whole(1));
  expect(await strip()).toBe(2);
});

test("what is kept for an undo goes when its thing is forgotten", async () => {
  const ada = await someone();
  const { sub, rest } = ada;
  const id = await completedHabit(ada);
  const category = (await rest("POST", "/categories", { name: "Home" })).body.id;
  await rest("POST", "/todos", { title: "Sweep", category_id: category });
  await rest("PATCH", `/habits/${id}`, { category_id: category });
  await rest("DELETE", `/categories/${category}`);
  await page.send(sub, "action.forget", { kind: "category", id: category });
  for (const table of ["habits", "todos"])
    expect(await count(`(select * from ${table} where former_category_id is not null)`, ada)).toBe(0);
  await rest("DELETE", `/habits/${id}`);
  await page.send(sub, "action.forget", { kind: "habit", id });
  expect(await count("habit_completions", ada)).toBe(0);
});

test("completions of a deleted habit go after 30 days, unless it came back or was deleted again since", async () => {
  const ada = await someone();
  const { rest, undo, changes, sub } = ada;
  const [gone, back, again] = [
    await completedHabit(ada),
    await completedHabit(ada),
    await completedHabit(ada),
  ];
  await rest("DELETE", `/habits/${gone}`);
  for (const id of [back, again]) {
    await rest("DELETE", `/habits/${id}`);
    const [deletion] = await changes();
    expect(await undo([deletion as ActionKey])).toEqual(whole(1));
  }
  await page.pool.query("update deletions set deleted_at = now() - interval '31 days' where user_id = $1", [
    sub,
  ]);
  await rest("DELETE", `/habits/${again}`);
  expect(await pruneDeletions(page)).toBe(3);
  const { rows } = await page.pool.query(
    "select habit_id::int as id from habit_completions where user_id = $1 order by 1",
    [sub],
  );
  expect(rows).toEqual([{ id: back }, { id: again }]);
  const [deletion] = await changes();
  expect(await undo([deletion as ActionKey])).toEqual(whole(1));
  expect((await rest("GET", `/habits/${again}/completions`)).body.data).toHaveLength(1);
});
