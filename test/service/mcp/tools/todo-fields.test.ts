import { describe, expect, test } from "bun:test";
import { commands } from "../../../../shared/contracts/catalogue.ts";
import { useStack } from "../../../harness.ts";
import { agent } from "../../../support/mcp.ts";

const stack = await useStack({ travels: true });
stack.clock.now = Date.parse("2026-11-20T10:00:00Z");
const fresh = (claims: object = {}) => agent(stack, { sub: crypto.randomUUID(), ...claims });

describe("remind_at", () => {
  test("is set with the todo, shown in the result and in lists, moved and cleared", async () => {
    const { call, token } = await fresh({ zoneinfo: "Europe/Berlin" });
    const made = await call("create-todo", { title: "Call Grace", remind_at: "2026-11-20T12:00" });
    const { id } = made.facts.todo;
    const reminded = { id, title: "Call Grace", remind_at: "2026-11-20T12:00", reaches: "nobody" };
    expect(made.facts.todo).toEqual(reminded);
    expect(made.text).toContain(`Created #${id} "Call Grace": reminds 2026-11-20T12:00\n`);
    const { body } = await stack.rest("GET", `/todos/${id}`, { token });
    expect(body.reminder).toMatchObject({ remind_at: "2026-11-20T11:00:00.000000Z", status: "scheduled" });
    const moved = await call("update-todo", { todo_id: id, remind_at: "2026-11-20T23:30:15Z" });
    expect(moved.facts.todo.remind_at).toBe("2026-11-21T00:30:15");
    const list = await call("get-pending-todos");
    expect(list.facts.todos).toEqual([{ id, title: "Call Grace", remind_at: "2026-11-21T00:30:15" }]);
    expect(list.text).toEndWith(`#${id} "Call Grace": reminds 2026-11-21T00:30:15`);
    const done = await call("toggle-todo", { todo_id: id });
    expect(done.facts.todo).toMatchObject({ reminder_status: "suspended", is_completed: true });
    expect(done.text).toEndWith(": reminder suspended 2026-11-21T00:30:15");
    await call("toggle-todo", { todo_id: id });
    const cleared = await call("update-todo", { todo_id: id, clear: ["remind_at"] });
    expect(cleared.facts.todo).toEqual({ id, title: "Call Grace" });
    expect((await call("update-todo", { todo_id: id, clear: ["remind_at"] })).isError).toBe(false);
  });

  test("is refused when it is past, no time, or for a completed todo, and then nothing else is done", async () => {
    const { call } = await fresh();
    for (const remind_at of ["2026-11-20T09:00", "nine", "2026-02-30T09:00", 9]) {
      const refused = await call("create-todo", { title: "x", remind_at });
      expect([remind_at, Object.keys(refused.facts.errors)]).toEqual([remind_at, ["remind_at"]]);
    }
    expect((await call("get-pending-todos")).facts.total).toBe(0);
    const { facts } = await call("create-todo", { title: "x" });
    const todo_id = facts.todo.id;
    await call("toggle-todo", { todo_id, completed: true });
    const late = await call("update-todo", { todo_id, title: "y", remind_at: "2026-11-20T12:00" });
    expect(late.facts.code).toBe("conflict");
    expect((await call("toggle-todo", { todo_id })).facts.todo.title).toBe("x");
  });

  test("follows the user's zone as a wall time, and sets the clock of a user without settings", async () => {
    const { call, token } = await fresh();
    const { facts } = await call("create-todo", { title: "x", remind_at: "2026-11-21T09:00" });
    const { body } = await stack.rest("GET", `/todos/${facts.todo.id}`, { token });
    expect(body.reminder.local_time).toBe("2026-11-21T09:00:00");
  });

  test("needs the scopes that the reminder's own address needs", () => {
    const { scopes } = commands["reminder.set"];
    expect(commands["todo.create"].scopes).toEqual(scopes);
    expect(commands["todo.update"].scopes).toEqual(scopes);
  });

  test("is an unknown field of a todo over REST", async () => {
    const { token } = await fresh();
    const sent = { title: "x", remind_at: "2026-11-21T09:00" };
    const made = await stack.rest("POST", "/todos", { token, body: sent });
    expect(made.status).toBe(422);
    expect(Object.keys(made.body.errors)).toEqual(["remind_at"]);
    const { remind_at: _, ...todo } = sent;
    const { body } = await stack.rest("POST", "/todos", { token, body: { ...todo, category: { id: 7 } } });
    const again = await stack.rest("PUT", `/todos/${body.id}`, { token, body: { ...body, title: "y" } });
    expect([again.status, again.body.title]).toEqual([200, "y"]);
  });
});

describe("category", () => {
  async function withCategories(claims: object, ...names: string[]) {
    const sub = crypto.randomUUID();
    const owner = await fresh({ sub });
    const ids: number[] = [];
    for (const name of names)
      ids.push((await stack.rest("POST", "/categories", { token: owner.token, body: { name } })).body.id);
    return { ...(await fresh({ sub, ...claims })), ids, owner };
  }

  test("is found by its name, whatever the case, and cleared by its word", async () => {
    const { call } = await withCategories({}, "Home", "Work", "work");
    const todo = await call("create-todo", { title: "x", category: " HOME " });
    expect(todo.facts.todo.category).toBe("Home");
    const todo_id = todo.facts.todo.id;
    const category = async (name: string) =>
      (await call("update-todo", { todo_id, category: name })).facts.todo.category;
    expect(await category("work")).toBe("work");
    expect(await category("WORK")).toBe("Work");
    const cleared = await call("update-todo", { todo_id, clear: ["category"] });
    expect(cleared.facts.todo).not.toHaveProperty("category");
    expect((await call("create-habit", { name: "Sweep", category: "home" })).facts.habit.category).toBe(
      "Home",
    );
  });

  test("that is unknown is refused with the known ones, and somebody else's is unknown", async () => {
    const { call } = await withCategories({}, "Home", "Work");
    await withCategories({}, "Secret");
    for (const [tool, args] of [
      ["create-todo", { title: "x", category: "Secret" }],
      ["create-habit", { name: "x", category: "Secret" }],
    ] as const) {
      const { text, facts } = await call(tool, args);
      expect(facts.errors.category[0]).toContain('"Home", "Work"');
      expect(text).toContain('"Home", "Work"');
    }
    const { facts } = await call("create-todo", { title: "x" });
    const refused = await call("update-todo", { todo_id: facts.todo.id, category: "Nope" });
    expect(refused.text).toContain('"Home", "Work"');
  });

  test("is not listed to a token that may not list categories", async () => {
    const { call } = await withCategories({ scope: "todos:write" }, "Home");
    expect((await call("create-todo", { title: "x", category: "home" })).facts.todo.category).toBe("Home");
    const { text, facts } = await call("create-todo", { title: "x", category: "Nope" });
    expect(facts).toMatchObject({ code: "invalid", errors: { category: [expect.any(String)] } });
    expect(text).not.toContain("Home");
  });

  test("is given by name or by id, not by both", async () => {
    const { call, ids } = await withCategories({}, "Home");
    const args = { title: "x", category_id: String(ids[0]) };
    expect((await call("create-todo", args)).facts.todo.category).toBe("Home");
    const both = await call("create-todo", { ...args, category: "Home" });
    expect(Object.keys(both.facts.errors)).toEqual(["category"]);
  });

  test("that is deleted meanwhile is never referred to", async () => {
    const names = Array.from({ length: 12 }, (_, n) => `Category ${n}`);
    const { call, ids, owner } = await withCategories({}, ...names);
    const answers = await Promise.all(
      names.flatMap((category, n) => [
        call("create-todo", { title: "x", category }),
        stack.rest("DELETE", `/categories/${ids[n]}`, { token: owner.token }),
        call("create-todo", { title: "y", category }),
      ]),
    );
    for (const answer of answers)
      if ("facts" in answer) expect(["ok", "invalid"]).toContain(answer.facts.code ?? "ok");
    expect((await call("get-pending-todos")).facts.todos.some((todo: object) => "category" in todo)).toBe(
      false,
    );
  });
});

describe("update-todo", () => {
  test("changes each field, and clears each by its word", async () => {
    const { call, token } = await fresh();
    await stack.rest("POST", "/categories", { token, body: { name: "Home" } });
    const { facts } = await call("create-todo", { title: "Bins" });
    const todo_id = facts.todo.id;
    const fields = {
      title: "Bins out",
      description: "Both",
      due_date: "2026-11-23",
      time_of_day: "evening",
      estimated_minutes: 5,
      context: "yard",
      category: "Home",
      recurrence: "FREQ=WEEKLY;BYDAY=MO",
      remind_at: "2026-11-23T18:00",
    };
    const changed = await call("update-todo", { todo_id, ...fields });
    expect(changed.facts.todo).toEqual({ id: todo_id, ...fields, reaches: "nobody" });
    const { title, ...clearable } = fields;
    const cleared = await call("update-todo", { todo_id, clear: Object.keys(clearable) });
    expect(cleared.facts.todo).toEqual({ id: todo_id, title });
  });
});

describe("ids as digits", () => {
  test("are the numbers that they write, for every tool and for a repeat", async () => {
    const { call } = await fresh();
    const habit_id = String((await call("create-habit", { name: "Run" })).facts.habit.id);
    expect((await call("complete-habit", { habit_id })).facts.habit.is_completed_today).toBe(true);
    const todo = (await call("create-todo", { title: "x" })).facts.todo;
    const todo_id = String(todo.id);
    expect((await call("update-todo", { todo_id, title: "y" })).facts.todo.title).toBe("y");
    const key = { idempotency_key: "k" };
    await call("toggle-todo", { todo_id, ...key });
    expect((await call("toggle-todo", { todo_id: todo.id, ...key })).facts.replayed).toBe(true);
    expect((await call("delete-todo", { todo_id })).facts.deleted_todo_id).toBe(todo.id);
  });

  test.each(["", "0", "007", "1.0", "7 ", "#7", "99999999999999999", "Infinity"])(
    "%j is none",
    async (todo_id) => {
      const { call } = await fresh();
      expect(Object.keys((await call("delete-todo", { todo_id })).facts.errors)).toEqual(["todo_id"]);
    },
  );
});
