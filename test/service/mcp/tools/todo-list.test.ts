import { beforeAll, describe, expect, test } from "bun:test";
import { encode } from "gpt-tokenizer/encoding/cl100k_base";
import { type JsonBody, useStack } from "../../../harness.ts";
import { newcomer } from "../../../support/mcp.ts";

const stack = await useStack({ travels: true });
const titles = (todos: readonly { title: string }[]) => todos.map(({ title }) => title);

/** A person whose agent finds titles by the arguments of get-pending-todos. */
async function finder() {
  const person = await newcomer(stack);
  const list = async (args: object = {}): Promise<JsonBody> =>
    (await person.call("get-pending-todos", args)).facts;
  return { ...person, list, find: async (args: object) => titles((await list(args)).todos) };
}

describe("pending todos", () => {
  beforeAll(() => {
    stack.clock.now = Date.parse("2026-11-20T10:00:00Z");
  });

  test("come page by page in the default order, and none twice or left out when todos come and go", async () => {
    const { call, list } = await finder();
    for (const due_date of [null, "2026-11-21", "2026-11-19"])
      for (const time_of_day of [null, "evening", "morning"]) {
        const title = `${due_date ?? "undated"} ${time_of_day ?? "any"}`;
        await call("create-todo", {
          due_date,
          time_of_day,
          todos: [{ title: `${title} 1` }, { title: `${title} 2` }],
        });
      }
    const whole = await list({ limit: 100 });
    expect(whole.todos).toHaveLength(18);
    expect(whole).not.toHaveProperty("next_cursor");
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { facts, text } = await call("get-pending-todos", { limit: 5, ...(cursor && { cursor }) });
      seen.push(...titles(facts.todos));
      cursor = facts.next_cursor;
      if (cursor) expect(text).toEndWith(`More with cursor ${cursor}`);
      await call("delete-todo", { todo_id: facts.todos.at(-1).id });
    } while (cursor);
    expect(seen).toEqual(titles(whole.todos));
    expect([seen[0], seen.at(-1)]).toEqual(["2026-11-19 morning 1", "undated any 2"]);
  });

  test("are found by words, by when they are due, and by their category's name", async () => {
    const { call, find, list } = await finder();
    const todos = [
      { title: "Call Zoë", due_date: "2026-11-19", new_category: "Büro" },
      { title: "Call Grace", description: "about the café", due_date: "2026-11-20" },
      { title: "Pay", due_date: "2026-11-24", new_category: "Büro" },
    ];
    await call("create-todo", { todos });
    expect(await find({ query: "call" })).toEqual(["Call Zoë", "Call Grace"]);
    expect(await find({ query: "CAFE" })).toEqual(["Call Grace"]);
    expect(await find({ due: "today" })).toEqual(["Call Grace"]);
    expect(await find({ due: "overdue" })).toEqual(["Call Zoë"]);
    expect(await find({ overdue_only: true })).toEqual(["Call Zoë"]);
    expect(await find({ due: "overdue", overdue_only: true })).toEqual(["Call Zoë"]);
    expect(await find({ due: "upcoming", category: "buro" })).toEqual(["Pay"]);
    const { todos: first, total, next_cursor } = await list({ query: "a", limit: 2 });
    expect([titles(first), total]).toEqual([["Call Zoë", "Call Grace"], 3]);
    const rest = await list({ query: "a", limit: 2, cursor: next_cursor });
    expect([titles(rest.todos), rest.total]).toEqual([["Pay"], 3]);
  });

  test("show their context as it is stored, and are found with and without its @, in whatever case", async () => {
    const { call, rest, list } = await finder();
    const contexts = ["@home", "Home", "@@home", "homework"];
    await call("create-todo", { todos: contexts.map((context) => ({ title: "x", context })) });
    const { text } = await call("get-pending-todos");
    expect([...text.matchAll(/context "(.*)"/g)].map(([, context]) => context)).toEqual(contexts);
    for (const context of ["@home", "HOME"]) {
      const { body } = await rest("GET", `/todos?context=${context}`);
      const totals = [
        body.meta.total,
        (await list({ context })).total,
        (await list({ context, query: "x" })).total,
      ];
      expect(totals).toEqual([3, 3, 3]);
    }
  });

  test("cost, 25 of them, under 1,200 tokens structured and under 750 as text", async () => {
    const { call } = await finder();
    const texts = ["Buy oat milk and bread", "Call the dentist", "Review Anna's pull request", "Pay rent"];
    const todos = Array.from({ length: 25 }, (_, index) => ({
      title: texts[index % texts.length],
      ...(index % 5 < 4 && { due_date: `2026-11-${18 + (index % 7)}` }),
      ...(index % 3 === 0 && { time_of_day: "morning", new_category: "Household" }),
      ...(index % 2 === 0 && { estimated_minutes: 15 }),
      ...(index % 4 === 0 && { context: "errands" }),
    }));
    for (const some of [todos, todos.slice(0, 5)]) await call("create-todo", { todos: some });
    const { text, facts } = await call("get-pending-todos");
    expect(facts.todos).toHaveLength(25);
    expect(encode(JSON.stringify(facts)).length).toBeLessThan(1_200);
    expect(encode(text).length).toBeLessThan(750);
  });
});

describe("todos of every status", () => {
  const made = finder();

  /** Each was completed on its day at noon, "a 3" and "b 3" at the same instant. */
  beforeAll(async () => {
    const { rest } = await made;
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

  test("are found on both doors by when they were done or are due, and by their reminder", async () => {
    const { rest, find, list } = await made;
    const since = await list({ done_since: "2026-05-02" });
    expect([titles(since.todos), since.total]).toEqual([["b 3", "a 3", "b 2", "a 2"], 4]);
    expect(since.todos[0]).toMatchObject({ is_completed: true, completed_on: "2026-05-03" });
    for (const [args, expected] of [
      [{ status: "all", query: "a" }, ["late", "a 1", "a 2", "a 3", "someday a"]],
      [{ due_by: "2026-05-03" }, ["late"]],
      [{ due_on: "2026-05-04" }, ["soon"]],
      [{ done_through: "2026-05-01" }, ["b 1", "a 1"]],
      [{ done_since: "2026-05-02", done_through: "2026-05-02", query: "b" }, ["b 2"]],
      [{ due: "none" }, ["someday a"]],
      [{ has_reminder: true }, ["someday a"]],
      [{ has_reminder: false, query: "o" }, ["soon"]],
    ] as const)
      expect([args, await find(args)]).toEqual([args, [...expected]]);
    for (const [query, expected] of [
      ["done_since=2026-05-02", ["b 3", "a 3", "b 2", "a 2"]],
      ["done_since=2026-05-02&q=a", ["a 3", "a 2"]],
      ["due=none", ["someday a"]],
      ["has_reminder=true&q=some", ["someday a"]],
      ["has_reminder=false", ["late", "soon"]],
    ] as const) {
      const { body } = await rest("GET", `/todos?${query}`);
      expect([query, titles(body.data)]).toEqual([query, [...expected]]);
    }
    for (const query of ["due=none&due_to=2026-05-03", "status=incomplete&done_since=2026-05-01"])
      expect([query, (await rest("GET", `/todos?${query}`)).status]).toEqual([query, 422]);
  });

  test.each([{}, { query: "a" }, { done_since: "2026-05-01" }])(
    "with %j come page by page, and none twice although one is reopened in between",
    async (filters) => {
      const { call, list } = await made;
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

  test.each<[object, string, string]>([
    [{ due: "today", overdue_only: true }, "due", "overdue_only"],
    [{ due: "upcoming", overdue_only: true }, "due", "overdue_only"],
    [{ due: "none", overdue_only: true }, "due", "overdue_only"],
    [{ due: "none", due_by: "2026-05-03" }, "due", "due_by"],
    [{ status: "pending", done_since: "2026-05-01" }, "status", "done_since"],
    [{ status: "completed", due: "overdue" }, "status", "overdue"],
    [{ done_since: "2026-05-01", overdue_only: true }, "done_since", "overdue"],
    [{ done_through: "2026-05-01", status: "pending" }, "status", "done_through"],
    [{ done_since: "2026-05-02", done_through: "2026-05-01" }, "done_through", "done_since"],
    [{ due_on: "2026-05-02", due_by: "2026-05-02" }, "due_on", "due_by"],
    [{ due_on: "2026-05-02", due: "today" }, "due_on", "due"],
    [{ due_on: "2026-05-02", overdue_only: true }, "due_on", "overdue_only"],
    [{ status: "completed", has_reminder: true }, "status", "reminder"],
    [{ count_by_category: true, category: "Home" }, "category", "count_by_category"],
    [{ count_by_category: true, cursor: "-.-.7" }, "cursor", "count_by_category"],
  ])("%j cannot match anything and is refused for its %s beside %s", async (args, field, other) => {
    const { errors } = (await (await made).call("get-pending-todos", args)).facts;
    expect(errors).toEqual({ [field]: [expect.stringContaining(other)] });
  });

  test("have cursors of their own when they are completed", async () => {
    const { list, wrong } = await made;
    const { next_cursor } = await list({ status: "completed", limit: 1 });
    expect(await wrong("get-pending-todos", { cursor: next_cursor })).toEqual(["cursor"]);
  });

  test("say, where none is found, which were looked at", async () => {
    const { call, list } = await made;
    const text = async (args: object) => (await call("get-pending-todos", args)).text.split("\n")[1];
    expect(await text({ query: "b 1" })).toContain("Completed ones were not looked at");
    expect(await text({ query: "late", status: "completed" })).toContain("Pending ones were not looked at");
    expect(await text({ query: "x", status: "all" })).toBe("No todos match, neither pending nor completed.");
    expect(await list({ query: "b 1" })).toMatchObject({ status: "pending", todos: [], total: 0 });
  });
});

describe("todos by category", () => {
  test("are counted in each of them, also in one that is empty, and in none", async () => {
    const { call, rest, list } = await finder();
    expect(await list({ count_by_category: true })).toMatchObject({
      ...{ by_category: [{ category: null, count: 0 }], total: 0 },
    });
    for (const name of ["Home", "Work", 'A "quiet" one']) await rest("POST", "/categories", { name });
    const todos = [
      { title: "Tap", category: "Home", due_date: "2026-05-01" },
      { title: "Sink", category: "Home" },
      { title: "Report", category: "Work" },
      { title: "Milk" },
    ];
    const { results } = (await call("create-todo", { todos })).facts;
    await call("toggle-todo", { todo_id: results[1].todo.id, completed: true });
    for (const [args, counts] of [
      [{}, [1, 1, 0, 1]],
      [{ status: "all" }, [2, 1, 0, 1]],
      [{ done_since: "2026-05-01" }, [1, 0, 0, 0]],
      [{ overdue_only: true }, [1, 0, 0, 0]],
      [{ query: "t" }, [1, 1, 0, 0]],
      [{ limit: 1 }, [1, 1, 0, 1]],
    ] as const) {
      const { by_category } = await list({ count_by_category: true, ...args });
      expect([args, by_category.map(({ count }: JsonBody) => count)]).toEqual([args, [...counts]]);
    }
    const { facts, text } = await call("get-pending-todos", { count_by_category: true });
    expect(facts).not.toHaveProperty("todos");
    expect(text).toContain('1 in "Work"\n0 in "A \\"quiet\\" one"\n1 in none');
  });

  test("are told only to tokens that may read categories", async () => {
    const { call } = await newcomer(stack, { scope: "todos:read" });
    expect((await call("get-pending-todos", { count_by_category: false })).isError).toBe(false);
    const { status, headers } = (await call("get-pending-todos", { count_by_category: true })).answer;
    const asked = expect.stringContaining('scope="todos:read categories:read"');
    expect([status, headers.get("www-authenticate")]).toEqual([403, asked]);
  });
});
