import { describe, expect, test } from "bun:test";
import { type JsonBody, useStack } from "../../../harness.ts";
import { newcomer, post, rpc, type Tool } from "../../../support/mcp.ts";

const stack = await useStack({ travels: true });
stack.clock.now = Date.parse("2026-11-20T10:00:00Z");

const all = (names: readonly string[], value: unknown) =>
  Object.fromEntries(names.map((name) => [name, value]));

describe("what is wrong is refused by its name", () => {
  const title = "x";
  const empty = newcomer(stack);

  test.each<[string, object, string]>([
    ["create-todo", {}, "title"],
    ["create-todo", { title, category_id: 7 }, "category_id"],
    ["create-todo", { title, estimated_minutes: "1e1" }, "estimated_minutes"],
    ["create-todo", { title, idempotency_key: "k".repeat(256) }, "idempotency_key"],
    ["create-todo", { todos: [] }, "title"],
    ["create-todo", { todos: Array.from({ length: 26 }, () => ({ title })) }, "todos"],
    ["create-todo", { todos: "x" }, ""],
    ["update-todo", { todo_id: 1, clear: ["title"] }, "clear"],
    ["update-todo", { todo_id: 1, due_date: "2026-11-21", clear: ["due_date"] }, "clear"],
    ["update-todo", { todo_id: 1 }, "todo_id"],
    ["update-todo", { todo_id: 1, due_date: null, clear: [], idempotency_key: "k" }, "todo_id"],
    ["update-todo", { title }, "todo_id"],
    ["update-todo", { title, todo_ids: [] }, "todo_id"],
    ["update-todo", { title, todo_ids: [1, 1] }, "todo_ids"],
    ["update-todo", { title, todo_ids: [1, "1"] }, "todo_ids"],
    ["update-todo", { title, todo_ids: Array.from({ length: 26 }, (_, n) => n + 1) }, "todo_ids"],
    ["toggle-todo", { todo_id: 1, completed: "yes" }, "completed"],
    ["create-habit", { name: title, schedule: "{}" }, "schedule"],
    ["create-habit", { name: title, action: "x", tools: 1 }, "tools"],
    ["delete-todo", { todo_id: 0 }, "todo_id"],
    ["delete-todo", { todo_id: 2 ** 53 }, "todo_id"],
    ["get-pending-todos", { limit: 101 }, "limit"],
    ["get-pending-todos", { cursor: "7" }, "cursor"],
    ["get-pending-todos", { idempotency_key: "k" }, "idempotency_key"],
  ])("%s %j", async (tool, args, name) => {
    const { isError, facts } = await (await empty).call(tool, args);
    expect([isError, facts.code, Object.keys(facts.errors)]).toEqual([true, "invalid", [name]]);
    expect(facts.message.split("; ")).toHaveLength(2);
  });

  test.each<[string, object, string]>([
    ["create-todo", { todos: [{ title }], title }, "title"],
    ["create-todo", { todos: [{ title }], "": 1 }, ""],
    ["update-todo", { title, todo_id: 1, todo_ids: [1] }, "todo_id"],
  ])("%s %j, because of what stands beside it", async (tool, args, name) =>
    expect(await (await empty).wrong(tool, args)).toEqual([name]),
  );

  test.each(["", "0", "007", "1.0", "7 ", "#7", "99999999999999999", "Infinity"])(
    "%j as an id",
    async (todo_id) => expect(await (await empty).wrong("delete-todo", { todo_id })).toEqual(["todo_id"]),
  );

  test("an unknown argument, also as null, with the list of the known ones", async () => {
    const { call, wrong } = await empty;
    expect((await call("toggle-todo", { id: 1 })).text).toContain(
      "id is not an argument of this tool, which takes todo_id, completed, todo_ids, idempotency_key",
    );
    expect(await wrong("create-todo", { title, due: null })).toEqual(["due"]);
  });

  test("and nothing is created", async () =>
    expect((await (await empty).call("get-pending-todos", { status: "all" })).facts.total).toBe(0));
});

test("a host may send values as JSON text, a list of one as its item, and names of its own", async () => {
  const { call } = await newcomer(stack);
  const ofHost = {
    toolCallId: "1",
    tool: "t",
    sessionId: "s",
    action: "a",
    chatInput: "c",
    task_progress: "-",
  };
  const texts = { title: "7", context: "[1]", estimated_minutes: "10", is_important: "true" };
  const { todo } = (await call("create-todo", { ...texts, ...ofHost })).facts;
  expect(todo).toMatchObject({ ...texts, estimated_minutes: 10, is_important: true });
  const rest = { every_days: null, weekdays: [] };
  for (const schedule of ['{"times_per_week":3}', { ...rest, times_per_week: "3" }])
    expect((await call("create-habit", { name: "x", schedule })).facts.habit.schedule.times_per_week).toBe(3);
  const { results } = (await call("create-todo", { todos: '[{"title":"a"},{"title":"b"}]' })).facts;
  const ids: number[] = results.map((made: JsonBody) => made.todo.id);
  expect((await call("create-todo", { todos: { title: "c" } })).facts.done).toBe(1);
  const change = { todo_ids: JSON.stringify(ids), description: "d", clear: "due_date" };
  expect((await call("update-todo", change)).facts.done).toBe(2);
  expect((await call("toggle-todo", { todo_ids: ids[0], completed: "true" })).facts.done).toBe(1);
  const token = await stack.issuer.token();
  const asText = rpc("tools/call", { name: "get-pending-todos", arguments: '{"limit":"1"}' });
  expect((await post(stack, asText, { token })).body.result.isError).toBeUndefined();
});

describe("an argument that is not given", () => {
  const describing = ["description", "due_date", "time_of_day", "context", "category", "recurrence"].concat(
    "remind_at",
  );

  test.each([null, "", " "])("may be sent as %j", async (none) => {
    const { call } = await newcomer(stack);
    const others = { ...all(describing, none), estimated_minutes: null, idempotency_key: none };
    const made = await call("create-todo", { title: "Strict", ...others, category_id: null, todos: none });
    const todo = { id: made.facts.todo.id, title: "Strict" };
    expect(made.facts.todo).toEqual(todo);
    const change = { todo_id: todo.id, todo_ids: null, title: "Kept", ...others, clear: [] };
    expect((await call("update-todo", change)).facts.todo).toEqual({ ...todo, title: "Kept" });
    expect((await call("toggle-todo", { todo_id: todo.id, completed: null })).isError).toBe(false);
    const options = all(["type", "grace_days", "time_of_day"], none);
    const habit_id = (await call("create-habit", { name: "Read", ...options })).facts.habit.id;
    expect((await call("complete-habit", { habit_id, date: none, undo: null })).isError).toBe(false);
    expect((await call("get-today-habits", { all: null, time_of_day: none })).facts.habits).toHaveLength(1);
    const filters = { ...all(["query", "due", "context", "category", "cursor"], none), limit: null };
    expect((await call("get-pending-todos", { ...filters, overdue_only: null })).facts.total).toBe(0);
  });

  test("may be an empty list, and a null beside a list and within it", async () => {
    const { call } = await newcomer(stack);
    const { id } = (await call("create-todo", { title: "One", todos: [] })).facts.todo;
    const nulls = all(["title", ...describing], null);
    const todos = [{ ...nulls, title: "Two", estimated_minutes: null }];
    const two = await call("create-todo", { ...nulls, todos });
    expect(two.facts.results[0].todo).toMatchObject({ title: "Two" });
    expect((await call("update-todo", { todo_id: id, todo_ids: [], title: "First" })).isError).toBe(false);
    const several = await call("update-todo", { ...nulls, todo_id: null, todo_ids: [id], context: "home" });
    expect(several.facts.done).toBe(1);
  });

  test("makes no other request of one with the same key, as null", async () => {
    const { call } = await newcomer(stack);
    await call("create-todo", { title: "Once", idempotency_key: "k" });
    const again = await call("create-todo", { title: "Once", due_date: null, idempotency_key: "k" });
    expect(again.facts.replayed).toBe(true);
  });

  test.each([
    ["todo", "create-todo", { title: "x", time_of_day: "evening" }, "update-todo", { time_of_day: null }],
    ["habit", "create-habit", { name: "x", time_of_day: "evening" }, "update-habit", { time_of_day: null }],
  ] as const)(
    "is not cleared by null: the answer of a %s names clear",
    async (noun, maker, args, tool, change) => {
      const { call, rest } = await newcomer(stack);
      const { id } = (await call(maker, args)).facts[noun];
      for (const which of [{ [`${noun}_id`]: id }, { [`${noun}_ids`]: [id] }]) {
        const { isError, text } = await call(tool, { ...which, ...change });
        expect([isError, text]).toEqual([true, expect.stringContaining("empty fields by clear")]);
      }
      expect((await rest("GET", `/${noun}s/${id}`)).body.time_of_day).toBe("evening");
    },
  );
});

/** Hosts in strict mode send each argument of the list, with null for absent ones. */
describe("of a host in strict mode", async () => {
  const token = await stack.issuer.token();
  const tools: readonly Tool[] = (await post(stack, rpc("tools/list"), { token })).body.result.tools;

  /** Some value of the listed type. It may be refused, if the refusal is the same without the nulls. */
  function valueFor(name: string, { type, enum: values, minimum, items }: JsonBody, id: number): unknown {
    if (values) return values[0];
    if (name.endsWith("_id") || name.endsWith("_ids")) return name.endsWith("s") ? [id] : id;
    if (name === "todos") return [{ title: "In a list" }];
    if (type === "array") return [valueFor("", items, id)];
    if (type === "object") return { times_per_week: 3 };
    if (type === "boolean") return true;
    return type === "integer" ? (minimum ?? 1) : "2026-11-20";
  }

  async function outcome(tool: string, name: string, schema: JsonBody, others: object) {
    const { call } = await newcomer(stack);
    const noun = tool.endsWith("-habit") ? "habit" : "todo";
    const fields = noun === "habit" ? { name: "Read" } : { title: "Milk" };
    const isOfOne = !/^(create|get)-/.test(tool);
    const id = isOfOne ? (await call(`create-${noun}`, fields)).facts[noun].id : 0;
    const needed = isOfOne ? { [`${noun}_id`]: id } : tool.startsWith("create-") ? fields : {};
    const isNeeded = !/_ids$|^todos$|^rename_category$/.test(name);
    const sent = { ...others, ...(isNeeded && needed), [name]: valueFor(name, schema, id) };
    const { facts, isError } = await call(tool, sent);
    const told = JSON.stringify({ code: facts.code, errors: facts.errors, done: facts.done });
    return [isError, Object.keys(facts).length, told];
  }

  test.each(tools.map(({ name, inputSchema }) => [name, inputSchema.properties] as const))(
    "%s answers alike whether the other arguments are null or absent, whichever one is given",
    async (tool, properties) => {
      const nulls = all(Object.keys(properties), null);
      // A repeat with the same key would be another request.
      const given = Object.entries(properties).filter(([name]) => name !== "idempotency_key");
      const outcomes = (others: object) =>
        Promise.all(given.map(async ([name, schema]) => [name, await outcome(tool, name, schema, others)]));
      expect(await outcomes(nulls)).toEqual(await outcomes({}));
    },
  );
});
