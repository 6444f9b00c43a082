import { beforeAll, describe, expect, test } from "bun:test";
import { useStack } from "../../harness.ts";
import { type ActionKey, useUndoDoor } from "../../support/undo-door.ts";

const stack = await useStack({ travels: true });
const { rest, clock, issuer } = stack;
const { page, someone } = await useUndoDoor(stack);

type Listed = { id: number; title: string };
const titles = (body: { data: Listed[] }): string[] => body.data.map(({ title }) => title);

test("the default list has incomplete todos only, due first, undated last, morning before evening, then id", async () => {
  const token = await issuer.token({ sub: "order" });
  const todos = [
    { title: "undated" },
    { title: "late evening", due_date: "2026-12-02", time_of_day: "evening" },
    { title: "late none", due_date: "2026-12-02" },
    { title: "late morning", due_date: "2026-12-02", time_of_day: "morning" },
    { title: "early", due_date: "2026-12-01" },
    { title: "undated afternoon", time_of_day: "afternoon" },
  ];
  for (const body of todos) await rest("POST", "/todos", { body, token });
  const done = (await rest("POST", "/todos", { body: { title: "done" }, token })).body.id;
  await rest("POST", `/todos/${done}/toggle`, { token });
  const expected = ["early", "late morning", "late evening", "late none", "undated afternoon", "undated"];
  expect(titles((await rest("GET", "/todos", { token })).body)).toEqual(expected);
  expect(titles((await rest("GET", "/todos?status=completed", { token })).body)).toEqual(["done"]);
  expect((await rest("GET", "/todos?status=all", { token })).body.meta.total).toBe(7);
});

test("pages of 15 neither repeat nor skip; beyond the last is empty with true meta", async () => {
  const token = await issuer.token({ sub: "pages" });
  for (let index = 0; index < 31; index++)
    await rest("POST", "/todos", { body: { title: `t${index}` }, token });
  const pages = [];
  for (const page of [1, 2, 3, 9]) pages.push((await rest("GET", `/todos?page=${page}`, { token })).body);
  expect(pages.map(({ data }) => data.length)).toEqual([15, 15, 1, 0]);
  expect(new Set(pages.flatMap(({ data }) => data.map(({ id }: Listed) => id))).size).toBe(31);
  expect(pages[3].meta).toEqual({ current_page: 9, last_page: 3, per_page: 15, total: 31 });
  const page = (link: string | null) => link && new URL(link).searchParams.get("page");
  expect(pages.map(({ links }) => [page(links.prev), page(links.next), page(links.last)])).toEqual([
    [null, "2", "3"],
    ["1", "3", "3"],
    ["2", null, "3"],
    ["3", null, "3"],
  ]);
});

test("links are built on BASE_URL, whatever the Host header says", async () => {
  const { body } = await rest("GET", "/todos", { headers: { host: "evil.example" } });
  expect(body.links.first).not.toContain("evil");
});

describe("a due time", () => {
  beforeAll(() => {
    clock.now = Date.parse("2026-11-20T10:00:00Z");
  });

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
    const { id } = (await rest("POST", "/todos", { title: "Stand-up", recurrence: "FREQ=DAILY", ...at }))
      .body;
    const { next_todo_id } = (await rest("POST", `/todos/${id}/toggle`)).body;
    expect((await rest("GET", `/todos/${next_todo_id}`)).body).toMatchObject({
      due_date: "2026-12-02",
      due_time: "14:30",
    });
  });
});
