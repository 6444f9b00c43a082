import { expect, test } from "bun:test";
import { type JsonBody, useStack } from "../../../harness.ts";
import { agent, post, rpc, type Tool } from "../../../support/mcp.ts";

/** Hosts in strict mode send each argument of the list, with null for absent ones. */

const stack = await useStack({ travels: true });
stack.clock.now = Date.parse("2026-11-20T10:00:00Z");
const listed = await post(stack, rpc("tools/list"), { token: await stack.issuer.token() });
const tools: readonly Tool[] = listed.body.result.tools;

/** Some value of the listed type. It may be refused, if the refusal is the same without the nulls. */
function valueFor(name: string, { type, enum: values, minimum, items }: JsonBody, id: number): unknown {
  if (values) return values[0];
  if (name.endsWith("_id") || name.endsWith("_ids")) return name.endsWith("s") ? [id] : id;
  if (name === "todos") return [{ title: "In a list" }];
  if (type === "array") return [valueFor("", items, id)];
  if (type === "object") return { name: "Changed", times_per_week: 3 };
  if (type === "boolean") return true;
  return type === "integer" ? (minimum ?? 1) : "2026-11-20";
}

const made: Readonly<Record<string, readonly [tool: string, args: object, thing: string]>> = {
  "complete-habit": ["create-habit", { name: "Read" }, "habit"],
  ...Object.fromEntries(
    ["toggle-todo", "update-todo", "delete-todo"].map((name) => [
      name,
      ["create-todo", { title: "Milk", due_date: "2026-11-21" }, "todo"] as const,
    ]),
  ),
};
const needed = (tool: string, id: number, name: string): object => {
  if (tool === "create-todo") return name === "todos" ? {} : { title: "Milk" };
  if (tool === "create-habit") return { name: "Read" };
  if (!made[tool] || name.endsWith("_ids") || name === "rename_category") return {};
  return { [`${made[tool][2]}_id`]: id };
};

for (const { name: tool, inputSchema } of tools)
  for (const [name, schema] of Object.entries(inputSchema.properties))
    test(`${tool} with ${name} is the same whether all other arguments are null or absent`, async () => {
      const { call } = await agent(stack, { sub: crypto.randomUUID() });
      const outcome = async (others: Record<string, null>) => {
        const [maker, args, thing] = made[tool] ?? [];
        const id = maker && thing ? (await call(maker, args)).facts[thing].id : 0;
        const sent = { ...others, ...needed(tool, id, name), [name]: valueFor(name, schema, id) };
        const { facts, isError } = await call(tool, sent);
        const told = JSON.stringify({ code: facts.code, errors: facts.errors, done: facts.done });
        return [isError, Object.keys(facts).length, told];
      };
      const nulls = Object.fromEntries(Object.keys(inputSchema.properties).map((one) => [one, null]));
      const isRepeat = name === "idempotency_key";
      const plain = await outcome({});
      const strict = isRepeat && tool.startsWith("create") ? plain : await outcome(nulls);
      if (!isRepeat) expect(strict).toEqual(plain);
    });

test("a null that seems to mean clearing is answered with clear, for habits too", async () => {
  const { call } = await agent(stack, { sub: crypto.randomUUID() });
  const { id } = (await call("create-habit", { name: "Read", time_of_day: "evening" })).facts.habit;
  for (const which of [{ habit_id: id }, { habit_ids: [id] }]) {
    const { isError, text } = await call("complete-habit", { ...which, set: { time_of_day: null } });
    expect([isError, text]).toEqual([true, expect.stringContaining("empty fields by clear")]);
  }
  const cleared = await call("complete-habit", { habit_id: id, set: { clear: ["time_of_day"] } });
  expect(cleared.facts.habit).not.toHaveProperty("time_of_day");
});

test("a false that asks for nothing else leaves the call as it is", async () => {
  const { call } = await agent(stack, { sub: crypto.randomUUID() });
  const { id } = (await call("create-habit", { name: "Read" })).facts.habit;
  const done = await call("complete-habit", { habit_id: id, delete: false, undo: false, set: null });
  expect(done.facts.habit).toMatchObject({ streak_count: 1, is_completed_today: true });
});
