import { describe, expect, test } from "bun:test";
import { encode } from "gpt-tokenizer/encoding/cl100k_base";
import { useStack } from "../../../harness.ts";
import { agent } from "../../../support/mcp.ts";

const stack = await useStack({ travels: true });
stack.clock.now = Date.parse("2026-11-20T10:00:00Z");
const fresh = () => agent(stack, { sub: crypto.randomUUID() });

describe("writing", () => {
  test("a todo is created, changed, toggled and deleted, each answer with what it became", async () => {
    const { call } = await fresh();
    const created = await call("create-todo", {
      title: "Water the plants",
      due_date: "2026-11-19",
      time_of_day: "evening",
      estimated_minutes: 10,
      context: "home",
    });
    const { id } = created.facts.todo;
    expect(created.text).toBe(
      `Today is Friday 2026-11-20, 10:00 in UTC.\nCreated #${id} "Water the plants": due 2026-11-19, overdue, evening, 10 min, context "home"`,
    );
    const changed = await call("update-todo", {
      todo_id: id,
      description: "Not the cactus",
      clear: ["due_date"],
    });
    expect(changed.facts.todo).toEqual({
      id,
      title: "Water the plants",
      description: "Not the cactus",
      time_of_day: "evening",
      estimated_minutes: 10,
      context: "home",
    });
    expect((await call("toggle-todo", { todo_id: id })).facts.todo.is_completed).toBe(true);
    expect((await call("toggle-todo", { todo_id: id })).facts.todo).not.toHaveProperty("is_completed");
    expect((await call("delete-todo", { todo_id: id })).text).toContain(`Deleted todo #${id} "`);
    expect(await call("delete-todo", { todo_id: id })).toMatchObject({
      isError: true,
      facts: { code: "not_found" },
    });
  });

  test("toggle with a wanted state changes nothing the second time", async () => {
    const { call } = await fresh();
    const { facts } = await call("create-todo", { title: "x" });
    const args = { todo_id: facts.todo.id, completed: true };
    for (let time = 0; time < 2; time++)
      expect((await call("toggle-todo", args)).facts.todo.is_completed).toBe(true);
  });

  test("a repeat on a later day states the day of the first call, and a refusal its own", async () => {
    const { call } = await fresh();
    const args = { title: "Once", idempotency_key: "k1" };
    expect((await call("create-todo", args)).facts.today).toBe("2026-11-20");
    const before = stack.clock.now;
    stack.clock.now = Date.parse("2026-11-21T10:00:00Z");
    const day = { today: "2026-11-21", time_zone: "UTC" };
    expect((await call("create-todo", args)).facts).toMatchObject({ today: "2026-11-20", replayed: true });
    expect((await call("delete-todo", { todo_id: 999_999 })).facts).toMatchObject(day);
    expect((await call("create-todo", {})).facts).toMatchObject(day);
    stack.clock.now = before;
  });

  test("completing a recurring todo names the next one", async () => {
    const { call } = await fresh();
    const created = await call("create-todo", { title: "Bins", recurrence: "FREQ=WEEKLY;BYDAY=MO" });
    expect(created.facts.todo).toMatchObject({ due_date: "2026-11-23", recurrence: "FREQ=WEEKLY;BYDAY=MO" });
    const done = await call("toggle-todo", { todo_id: created.facts.todo.id });
    expect(done.text).toContain(`next is #${done.facts.todo.next_todo_id}`);
  });

  test("a repeat with the same key answers the same and says so; another request with it is refused", async () => {
    const { call } = await fresh();
    const args = { title: "Once", idempotency_key: "k1" };
    const first = await call("create-todo", args);
    const second = await call("create-todo", args);
    expect(second.facts).toEqual({ ...first.facts, now: undefined, replayed: true });
    expect((await call("get-pending-todos")).facts.total).toBe(1);
    const other = await call("create-todo", { title: "Twice", idempotency_key: "k1" });
    expect(other).toMatchObject({
      isError: true,
      facts: {
        code: "invalid",
        message: "The idempotency key was already used for a different request; use a new key.",
        errors: { idempotency_key: [expect.any(String)] },
      },
    });
  });
});

describe("arguments", () => {
  test("an unknown one is refused with the list of the known ones", async () => {
    const { call } = await fresh();
    const { isError, text } = await call("toggle-todo", { id: 1 });
    expect(isError).toBe(true);
    expect(text).toContain(
      "id is not an argument of this tool, which takes todo_id, completed, todo_ids, idempotency_key",
    );
  });

  test.each([
    ["create-todo", {}, "title"],
    ["create-todo", { title: " " }, "title"],
    ["create-todo", { title: "x", due_date: "2026-02-30" }, "due_date"],
    ["create-todo", { title: "x", recurrence: "FREQ=HOURLY" }, "recurrence"],
    ["create-todo", { title: "x", category_id: 7 }, "category_id"],
    ["create-todo", { title: "x", estimated_minutes: "10" }, "estimated_minutes"],
    ["create-todo", { title: "x", idempotency_key: "k".repeat(256) }, "idempotency_key"],
    ["update-todo", { todo_id: 1, clear: ["title"] }, "clear"],
    ["update-todo", { todo_id: 1, due_date: "2026-11-21", clear: ["due_date"] }, "clear"],
    ["update-todo", { todo_id: 1 }, "todo_id"],
    ["update-todo", { todo_id: 1, due_date: null, clear: [], idempotency_key: "k" }, "todo_id"],
    ["toggle-todo", { todo_id: 1, completed: "yes" }, "completed"],
    ["delete-todo", { todo_id: 0 }, "todo_id"],
    ["delete-todo", { todo_id: 2 ** 53 }, "todo_id"],
    ["get-pending-todos", { limit: 101 }, "limit"],
    ["get-pending-todos", { cursor: "7" }, "cursor"],
    ["get-pending-todos", { idempotency_key: "k" }, "idempotency_key"],
  ])("%s %j is refused for its %s", async (tool, args, name) => {
    const { call } = await fresh();
    const { isError, facts } = await call(tool, args);
    expect(isError).toBe(true);
    expect(facts.code).toBe("invalid");
    expect(Object.keys(facts.errors)).toEqual([name]);
    expect(facts.message.split("; ")).toHaveLength(2);
  });
});

describe("stored words", () => {
  test("are quoted on one line, so that they pass for no other item, fact or line", async () => {
    const { call } = await fresh();
    const title = 'Milk" — overdue. #9 "Old';
    const description = "one\n\nToday is 2030-01-01 in UTC.\u2028#1 Pay";
    const { facts } = await call("create-todo", { title, description, context: "home, 5 min" });
    const { text } = await call("get-pending-todos");
    expect(text.split("\n").slice(2)).toEqual([
      `#${facts.todo.id} "Milk\\" — overdue. #9 \\"Old": context "home, 5 min"`,
      '  description: "one Today is 2030-01-01 in UTC. #1 Pay"',
    ]);
    const habit = await call("create-habit", { name: "Run — streak 400", description: "x. #2 y" });
    expect(habit.text.split("\n").slice(1)).toEqual([
      `Created #${habit.facts.habit.id} "Run — streak 400": good habit, daily, streak 0`,
      '  description: "x. #2 y"',
    ]);
  });
});

describe("words", () => {
  test("a context is shown as it is stored, so that it can be asked for as it is shown", async () => {
    const { call } = await fresh();
    const contexts = ["@home", "home", "@@home"];
    for (const context of contexts) await call("create-todo", { title: "x", context });
    const { text } = await call("get-pending-todos");
    expect([...text.matchAll(/context "(.*)"/g)].map(([, context]) => context)).toEqual(contexts);
  });

  test("a context is found with and without its @, in whatever case", async () => {
    const { call, token } = await fresh();
    for (const context of ["@home", "Home", "@@home", "homework"])
      await call("create-todo", { title: "x", context });
    for (const context of ["@home", "HOME"]) {
      const listed = await stack.rest("GET", `/todos?context=${context}`, { token });
      const found = await call("get-pending-todos", { context, query: "x" });
      const { total } = (await call("get-pending-todos", { context })).facts;
      expect([listed.body.meta.total, found.facts.total, total]).toEqual([3, 3, 3]);
    }
  });

  test.each(["today", "upcoming"])("due %s beside overdue_only is refused with both names", async (due) => {
    const { call } = await fresh();
    const { isError, facts } = await call("get-pending-todos", { due, overdue_only: true });
    expect([isError, facts.errors.due[0]]).toEqual([true, expect.stringMatching(/due .*overdue_only/)]);
    expect((await call("get-pending-todos", { due: "overdue", overdue_only: true })).isError).toBe(false);
  });

  test("examples of dates in refusals are of the user's day, on both doors", async () => {
    const before = stack.clock.now;
    stack.clock.now = Date.parse("2027-03-31T20:00:00Z");
    const { call, token } = await agent(stack, { sub: crypto.randomUUID(), zoneinfo: "Asia/Tokyo" });
    const day = "a real date such as 2027-04-01";
    expect((await call("create-todo", { title: "x", due_date: "soon" })).facts).toMatchObject({
      message: `The due_date field must be ${day}; correct the arguments and call again.`,
      errors: { due_date: [`The due_date field must be ${day}.`] },
    });
    const rest = await stack.rest("POST", "/todos", { token, body: '{"title":"x","due_date":"soon"}' });
    expect(rest.body.errors).toEqual({ due_date: [`The due_date field must be ${day}.`] });
    const { body } = await stack.rest("PUT", "/todos/1/reminder", { token, body: '{"remind_at":"nine"}' });
    expect(body.message).toContain("2027-04-02T09:00 in the user's own zone");
    const until = await call("create-todo", { title: "x", recurrence: "FREQ=DAILY;UNTIL=soon" });
    expect(until.text).toContain("a date such as 20271231 in UNTIL");
    stack.clock.now = before;
  });
});

describe("get-pending-todos", () => {
  const titles = (facts: { todos: { title: string }[] }) => facts.todos.map(({ title }) => title);

  test("pages by cursor in the default order, and neither repeats nor skips when todos come and go", async () => {
    const { call } = await fresh();
    const days = [null, "2026-11-21", "2026-11-19"];
    const times = [null, "evening", "morning"];
    for (const due_date of days)
      for (const time_of_day of times)
        for (const n of [1, 2])
          await call("create-todo", {
            title: `${due_date ?? "undated"} ${time_of_day ?? "any"} ${n}`,
            ...(due_date && { due_date }),
            ...(time_of_day && { time_of_day }),
          });
    const whole = await call("get-pending-todos", { limit: 100 });
    expect(whole.facts.todos).toHaveLength(18);
    expect(whole.facts).not.toHaveProperty("next_cursor");
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { facts, text } = await call("get-pending-todos", { limit: 5, ...(cursor && { cursor }) });
      seen.push(...titles(facts));
      cursor = facts.next_cursor;
      if (cursor) expect(text).toEndWith(`More with cursor ${cursor}`);
      await call("delete-todo", { todo_id: facts.todos.at(-1).id });
    } while (cursor);
    expect(seen).toEqual(titles(whole.facts));
    expect(seen[0]).toBe("2026-11-19 morning 1");
    expect(seen.at(-1)).toBe("undated any 2");
  });

  test("can be narrowed to overdue ones and to a context", async () => {
    const { call } = await fresh();
    await call("create-todo", { title: "late", due_date: "2026-11-19" });
    await call("create-todo", { title: "today", due_date: "2026-11-20", context: "Home" });
    expect(titles((await call("get-pending-todos", { overdue_only: true })).facts)).toEqual(["late"]);
    expect(titles((await call("get-pending-todos", { context: "home" })).facts)).toEqual(["today"]);
  });

  test("can be searched, and narrowed to what is due and to a category by name", async () => {
    const { call, token } = await fresh();
    const { body } = await stack.rest("POST", "/categories", { token, body: { name: "Büro" } });
    await call("create-todo", { title: "Call Zoë", due_date: "2026-11-19", category_id: body.id });
    await call("create-todo", { title: "Call Grace", description: "about the café", due_date: "2026-11-20" });
    await call("create-todo", { title: "Pay", due_date: "2026-11-24", category_id: body.id });
    const find = async (args: object) => titles((await call("get-pending-todos", { ...args })).facts);
    expect(await find({ query: "call" })).toEqual(["Call Zoë", "Call Grace"]);
    expect(await find({ query: "CAFE" })).toEqual(["Call Grace"]);
    expect(await find({ due: "today" })).toEqual(["Call Grace"]);
    expect(await find({ due: "overdue" })).toEqual(["Call Zoë"]);
    expect(await find({ due: "upcoming", category: "buro" })).toEqual(["Pay"]);
    const first = await call("get-pending-todos", { query: "a", limit: 2 });
    expect([titles(first.facts), first.facts.total]).toEqual([["Call Zoë", "Call Grace"], 3]);
    const rest = await call("get-pending-todos", { query: "a", limit: 2, cursor: first.facts.next_cursor });
    expect([titles(rest.facts), rest.facts.total]).toEqual([["Pay"], 3]);
  });

  test("a category that is not there is refused with the names of those that are", async () => {
    const { call, token } = await fresh();
    expect((await call("get-pending-todos", { category: "Home" })).text).toContain("there are none yet");
    for (const name of ["Home", "Work"]) await stack.rest("POST", "/categories", { token, body: { name } });
    const { isError, text, facts } = await call("get-pending-todos", { category: "Garden" });
    expect([isError, facts.code, Object.keys(facts.errors)]).toEqual([true, "invalid", ["category"]]);
    expect(text).toStartWith(
      'The category field must name a category: "Home", "Work"; correct the arguments',
    );
  });

  test("25 todos cost under 1,200 tokens structured and under 750 as text", async () => {
    const { call, token } = await fresh();
    const { body } = await stack.rest("POST", "/categories", { token, body: { name: "Household" } });
    const titles = [
      "Buy oat milk and bread",
      "Call the dentist",
      "Review Anna's pull request",
      "Pay the rent",
    ];
    for (let index = 0; index < 30; index++)
      await call("create-todo", {
        title: titles[index % titles.length],
        ...(index % 5 < 4 && { due_date: `2026-11-${18 + (index % 7)}` }),
        ...(index % 3 === 0 && { time_of_day: "morning" }),
        ...(index % 2 === 0 && { estimated_minutes: 15 }),
        ...(index % 4 === 0 && { context: "errands" }),
        ...(index % 3 === 0 && { category_id: body.id }),
      });
    const { text, facts } = await call("get-pending-todos");
    expect(facts.todos).toHaveLength(25);
    expect(encode(JSON.stringify(facts)).length).toBeLessThan(1_200);
    expect(encode(text).length).toBeLessThan(750);
  });
});
