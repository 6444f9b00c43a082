import { beforeAll, describe, expect, test } from "bun:test";
import { type JsonBody, useStack } from "../../../harness.ts";
import { agent } from "../../../support/mcp.ts";

const stack = await useStack({ travels: true });
const { call, token } = await agent(stack, { sub: crypto.randomUUID() });
const rest = (method: string, path: string, body?: object) =>
  stack.rest(method, path, { token, ...(body && { body }) });
const titles = (todos: readonly { title: string }[]) => todos.map(({ title }) => title);
const list = async (args: object): Promise<JsonBody> => (await call("get-pending-todos", args)).facts;
const listed = async (query: string) => titles((await rest("GET", `/todos?${query}`)).body.data);

/** Each was completed on its day at noon, "a 3" and "b 3" at the same instant. */
beforeAll(async () => {
  for (const day of [1, 2, 3])
    for (const name of ["a", "b"]) {
      stack.clock.now = Date.parse(`2026-05-0${day}T12:00:00Z`);
      const { id } = (await rest("POST", "/todos", { title: `${name} ${day}` })).body;
      await rest("POST", `/todos/${id}/toggle`);
    }
  await rest("POST", "/todos", { title: "late", due_date: "2026-05-02" });
  await rest("POST", "/todos", { title: "soon", due_date: "2026-05-04" });
  const { id } = (await rest("POST", "/todos", { title: "someday a" })).body;
  await rest("PUT", `/todos/${id}/reminder`, { remind_at: "2026-05-09T08:00" });
});

describe("completed todos", () => {
  test("are listed from a day on, newest first, each with the day on which it was done", async () => {
    const { todos, total } = await list({ done_since: "2026-05-02" });
    expect([titles(todos), total]).toEqual([["b 3", "a 3", "b 2", "a 2"], 4]);
    expect(todos[0]).toMatchObject({ is_completed: true, completed_on: "2026-05-03" });
    expect(await listed("done_since=2026-05-02")).toEqual(titles(todos));
    expect(await listed("done_since=2026-05-02&q=a")).toEqual(["a 3", "a 2"]);
  });

  test.each([{}, { query: "a" }, { done_since: "2026-05-01" }])(
    "with %j come page by page, and none twice although one is reopened in between",
    async (filters) => {
      const whole = await list({ status: "completed", ...filters });
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ status: "completed", ...filters, limit: 1, ...(cursor && { cursor }) });
        seen.push(...titles(page.todos));
        expect(page.total).toBe(whole.total - (cursor ? 1 : 0));
        if (!cursor) await call("toggle-todo", { todo_id: page.todos[0].id, completed: false });
        cursor = page.next_cursor;
      } while (cursor);
      expect(seen).toEqual(titles(whole.todos));
      await call("toggle-todo", { todo_id: whole.todos[0].id, completed: true });
    },
  );

  test("stand beside pending ones with status all, in the order of their dates", async () => {
    const { todos } = await list({ status: "all", query: "a" });
    expect(titles(todos)).toEqual(["late", "a 1", "a 2", "a 3", "someday a"]);
  });

  test("have cursors of their own", async () => {
    const { next_cursor } = await list({ status: "completed", limit: 1 });
    const { isError, facts } = await call("get-pending-todos", { cursor: next_cursor });
    expect([isError, Object.keys(facts.errors)]).toEqual([true, ["cursor"]]);
  });
});

describe("filters", () => {
  test("find what is due by a day, has no date or has a reminder to ring", async () => {
    expect(titles((await list({ due_by: "2026-05-03" })).todos)).toEqual(["late"]);
    expect(titles((await list({ due: "none" })).todos)).toEqual(["someday a"]);
    expect(titles((await list({ has_reminder: true })).todos)).toEqual(["someday a"]);
    expect(titles((await list({ has_reminder: false, query: "o" })).todos)).toEqual(["soon"]);
    expect(await listed("due=none")).toEqual(["someday a"]);
    expect(await listed("has_reminder=true&q=some")).toEqual(["someday a"]);
    expect(await listed("has_reminder=false")).toEqual(["late", "soon"]);
  });

  test.each([
    [{ due: "none", overdue_only: true }, "due"],
    [{ due: "none", due_by: "2026-05-03" }, "due"],
    [{ status: "pending", done_since: "2026-05-01" }, "status"],
    [{ status: "completed", due: "overdue" }, "status"],
    [{ done_since: "2026-05-01", overdue_only: true }, "done_since"],
    [{ status: "completed", has_reminder: true }, "status"],
    [{ count_by_category: true, category: "Home" }, "category"],
    [{ count_by_category: true, cursor: "-.-.7" }, "cursor"],
  ])("%j cannot match anything and is refused for its %s", async (args, field) => {
    const { isError, facts } = await call("get-pending-todos", args);
    expect([isError, facts.code, Object.keys(facts.errors)]).toEqual([true, "invalid", [field]]);
  });

  test.each(["due=none&due_to=2026-05-03", "status=incomplete&done_since=2026-05-01"])(
    "%s is refused over REST",
    async (query) => expect((await rest("GET", `/todos?${query}`)).status).toBe(422),
  );

  test("that find nothing say which todos were looked at", async () => {
    const text = async (args: object) => (await call("get-pending-todos", args)).text.split("\n")[1];
    expect(await text({ query: "b 1" })).toContain("Completed ones were not looked at");
    expect(await text({ query: "late", status: "completed" })).toContain("Pending ones were not looked at");
    expect(await text({ query: "x", status: "all" })).toBe("No todos match, neither pending nor completed.");
    expect(await list({ query: "b 1" })).toMatchObject({ status: "pending", todos: [], total: 0 });
  });
});

describe("todos by category", () => {
  test("are counted in each of them, also in one that is empty, and in none", async () => {
    const { call, token } = await agent(stack, { sub: crypto.randomUUID() });
    const counted = async (args: object = {}) =>
      (await call("get-pending-todos", { count_by_category: true, ...args })).facts;
    expect(await counted()).toMatchObject({ by_category: [{ category: null, count: 0 }], total: 0 });
    for (const name of ["Home", "Work", 'A "quiet" one'])
      await stack.rest("POST", "/categories", { token, body: { name } });
    const todos = [
      { title: "Tap", category: "Home", due_date: "2026-05-01" },
      { title: "Sink", category: "Home" },
      { title: "Report", category: "Work" },
      { title: "Milk" },
    ];
    const { results } = (await call("create-todo", { todos })).facts;
    await call("toggle-todo", { todo_id: results[1].todo.id, completed: true });
    const numbers = async (args: object) =>
      (await counted(args)).by_category.map(({ count }: { count: number }) => count);
    const cases = [
      {},
      { status: "all" },
      { done_since: "2026-05-01" },
      { overdue_only: true },
      { query: "t" },
    ];
    expect(await Promise.all([...cases, { limit: 1 }].map(numbers))).toEqual([
      ...[
        [1, 1, 0, 1],
        [2, 1, 0, 1],
        [1, 0, 0, 0],
        [1, 0, 0, 0],
        [1, 1, 0, 0],
      ],
      [1, 1, 0, 1],
    ]);
    const { facts, text } = await call("get-pending-todos", { count_by_category: true });
    expect(facts).not.toHaveProperty("todos");
    expect(text).toContain('1 in "Work"\n0 in "A \\"quiet\\" one"\n1 in none');
  });

  test("are told only to tokens that may read categories", async () => {
    const { call } = await agent(stack, { sub: crypto.randomUUID(), scope: "todos:read" });
    expect((await call("get-pending-todos", { count_by_category: false })).isError).toBe(false);
    const { status, headers } = (await call("get-pending-todos", { count_by_category: true })).answer;
    expect([status, headers.get("www-authenticate")]).toEqual([
      403,
      expect.stringContaining('scope="todos:read categories:read"'),
    ]);
  });
});
