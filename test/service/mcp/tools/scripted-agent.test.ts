import { beforeEach, expect, test } from "bun:test";
import type { JsonBody } from "../../../harness.ts";
import { useStack } from "../../../harness.ts";
import { agent, post, rpc } from "../../../support/mcp.ts";

/**
 * Requests of a person, carried out by an agent without a model: it knows only the tool list and the answers, and each
 * request takes at most three calls.
 */

const stack = await useStack({ travels: true });
stack.clock.now = Date.parse("2026-11-20T10:00:00Z");
const mostCalls = 3;

async function scripted() {
  const caller = await agent(stack, { sub: crypto.randomUUID(), zoneinfo: "Europe/Berlin" });
  const listed = await post(stack, rpc("tools/list"), { token: caller.token });
  const known = new Map<string, JsonBody>(
    listed.body.result.tools.map((tool: JsonBody) => [tool.name, tool.inputSchema.properties]),
  );
  let calls = 0;
  return {
    caller,
    calls: () => calls,
    /** A call of a listed tool with listed arguments; it must succeed. */
    async use(name: string, args: Record<string, unknown>): Promise<JsonBody> {
      for (const argument of Object.keys(args)) expect(Object.keys(known.get(name))).toContain(argument);
      calls += 1;
      const { facts, isError } = await caller.call(name, args);
      expect([name, facts, isError]).toEqual([name, facts, false]);
      return facts;
    },
  };
}

let script: Awaited<ReturnType<typeof scripted>>;
beforeEach(async () => {
  script = await scripted();
});

const make = (tool: string, args: object) => script.caller.call(tool, args).then(({ facts }) => facts);
const pending = async () => (await make("get-pending-todos", {})).todos;

test("delete the dentist todo", async () => {
  await make("create-todo", { title: "Call the Dentist" });
  await make("create-todo", { title: "Call the plumber" });
  const { todos } = await script.use("get-pending-todos", { query: "dentist" });
  await script.use("delete-todo", { todo_id: todos[0].id });
  expect(await pending()).toMatchObject([{ title: "Call the plumber" }]);
  expect(script.calls()).toBeLessThanOrEqual(mostCalls);
});

test("I ran yesterday", async () => {
  await make("create-habit", { name: "Read" });
  await make("create-habit", { name: "Run" });
  const { today, habits } = await script.use("get-today-habits", { all: true });
  const { id } = habits.find(({ name }: JsonBody) => name === "Run");
  const yesterday = Temporal.PlainDate.from(today).subtract({ days: 1 }).toString();
  const done = await script.use("complete-habit", { habit_id: id, date: yesterday });
  expect(done).toMatchObject({ date: "2026-11-19", habit: { name: "Run", streak_count: 1 } });
  expect(done.habit).not.toHaveProperty("is_completed_today");
  expect(script.calls()).toBeLessThanOrEqual(mostCalls);
});

test("remind me at nine to call Grace", async () => {
  // Every answer has the day. Nine in the morning has passed in Berlin, so after the refusal the agent takes the
  // evening.
  const { today } = await script.use("get-pending-todos", { query: "Grace" });
  const early = await make("create-todo", { title: "Call Grace", remind_at: `${today}T09:00` });
  expect(early.errors.remind_at[0]).toContain("past");
  const { todo } = await script.use("create-todo", { title: "Call Grace", remind_at: `${today}T21:00` });
  expect(todo).toMatchObject({ title: "Call Grace", remind_at: "2026-11-20T21:00" });
  expect(script.calls() + 1).toBeLessThanOrEqual(mostCalls);
});

test("move everything with context home to Saturday", async () => {
  for (const title of ["Sweep", "Dust", "Cook"]) await make("create-todo", { title, context: "home" });
  await make("create-todo", { title: "Meeting", context: "work", due_date: "2026-11-23" });
  const { today, todos } = await script.use("get-pending-todos", { context: "home" });
  const day = Temporal.PlainDate.from(today);
  const saturday = day.add({ days: (6 - day.dayOfWeek + 7) % 7 }).toString();
  const todo_ids = todos.map(({ id }: JsonBody) => id);
  const moved = await script.use("update-todo", { todo_ids, due_date: saturday });
  expect(moved.done).toBe(3);
  const dates = (await pending()).map(({ title, due_date }: JsonBody) => [title, due_date]);
  expect(dates).toEqual([
    ["Sweep", "2026-11-21"],
    ["Dust", "2026-11-21"],
    ["Cook", "2026-11-21"],
    ["Meeting", "2026-11-23"],
  ]);
  expect(script.calls()).toBeLessThanOrEqual(mostCalls);
});
