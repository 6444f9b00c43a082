import { afterAll, expect, test } from "bun:test";
import { useStack } from "../../harness.ts";
import { type ActionKey, openUndoDoor } from "../../support/undo-door.ts";

afterAll(() => page.close());
const stack = await useStack({ travels: true });
stack.clock.now = Date.parse("2026-11-20T10:00:00Z");
const { page, someone } = await openUndoDoor(stack);

const at = { due_date: "2026-12-01", due_time: "14:30" };

test("a due time is set, kept by requests that do not name it, cleared, and gone with its date", async () => {
  const { rest } = await someone();
  const { id, ...made } = (await rest("POST", "/todos", { title: "Call", ...at })).body;
  expect(made).toMatchObject(at);
  const sent = async (method: string, body: object) =>
    (await rest(method, `/todos/${id}`, { title: "Call", ...body })).body;
  expect(await sent("PATCH", { due_date: "2026-12-02" })).toMatchObject({ due_time: "14:30" });
  expect(await sent("PUT", {})).toMatchObject({ due_date: "2026-12-02", due_time: "14:30" });
  expect(await sent("PATCH", { due_time: "00:00" })).toMatchObject({ due_time: "00:00" });
  expect(await sent("PATCH", { due_time: null })).toMatchObject({ due_date: "2026-12-02", due_time: null });
  await sent("PATCH", at);
  expect(await sent("PATCH", { due_date: null })).toMatchObject({ due_date: null, due_time: null });
  expect(await sent("PATCH", { recurrence: "FREQ=DAILY", due_time: "07:15" })).toMatchObject({
    due_date: "2026-11-20",
    due_time: "07:15",
  });
  expect(await sent("PATCH", { due_date: null })).toMatchObject({
    due_date: "2026-11-20",
    due_time: "07:15",
  });
});

test("a due time without a date is refused, and nothing changes", async () => {
  const { rest } = await someone();
  const { id, ...made } = (await rest("POST", "/todos", { title: "Call" })).body;
  for (const body of [
    { due_time: "14:30" },
    { due_date: null, due_time: "14:30" },
    { ...at, due_time: "9:00" },
  ]) {
    const { status, body: answer } = await rest("PATCH", `/todos/${id}`, body);
    expect([body, status, Object.keys(answer.errors ?? {})]).toEqual([body, 422, ["due_time"]]);
  }
  expect((await rest("GET", "/todos")).body.data).toEqual([{ id, ...made }]);
});

test("tools take, say and clear it", async () => {
  const { agent } = await someone();
  const made = await agent.call("create-todo", { title: "Call", ...at });
  expect(made.facts.todo).toMatchObject(at);
  expect(made.text).toContain('"Call": due 2026-12-01 14:30');
  const todo_id = made.facts.todo.id;
  const moved = await agent.call("update-todo", { todo_id, due_time: "09:05" });
  expect(moved.text).toContain("due 2026-12-01 09:05");
  const cleared = await agent.call("update-todo", { todo_id, clear: ["due_time"] });
  expect(cleared.facts.todo).toEqual({ id: todo_id, title: "Call", due_date: "2026-12-01" });
});

test("an undo brings it back with its date, and never without one", async () => {
  const { rest, sub, changes, undo } = await someone();
  const { id } = (await rest("POST", "/todos", { title: "Call", ...at })).body;
  await rest("PATCH", `/todos/${id}`, { due_date: null });
  const [cleared] = await changes();
  await undo([cleared as ActionKey]);
  expect((await rest("GET", `/todos/${id}`)).body).toMatchObject(at);
  await rest("PATCH", `/todos/${id}`, { due_time: null });
  const [untimed] = await changes();
  await page.send(sub, "todo.update", { todo_id: id, due_date: null });
  expect(await undo([untimed as ActionKey])).toMatchObject([{ undone: "none" }]);
  expect((await rest("GET", `/todos/${id}`)).body).toMatchObject({ due_date: null, due_time: null });
});

test("the todo that follows a recurring one is due at the same time", async () => {
  const { rest } = await someone();
  const { id } = (await rest("POST", "/todos", { title: "Stand-up", recurrence: "FREQ=DAILY", ...at })).body;
  const { next_todo_id } = (await rest("POST", `/todos/${id}/toggle`)).body;
  expect((await rest("GET", `/todos/${next_todo_id}`)).body).toMatchObject({
    due_date: "2026-12-02",
    due_time: "14:30",
  });
});
