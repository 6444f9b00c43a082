import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { startStack } from "../../harness.ts";
import { agent, loggedCalls } from "../../support/mcp.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => sql.close());
const stack = await startStack({ workers: 0 });
const sql = new SQL(stack.config.databaseUrl, { max: 1 });

test("a write that no worker has answered may or may not have been applied, and says so; the next is not tried", async () => {
  const { call } = await agent(stack, { sub: "ada" });
  const { isError, facts, text } = await call("create-todo", { title: "x", idempotency_key: "k" });
  expect(isError).toBe(true);
  expect(facts).toMatchObject({ code: "overloaded", applied: "unknown" });
  expect(text).toContain("with the same idempotency_key");
  const later = await call("create-todo", { title: "x", idempotency_key: "k" });
  expect(later.facts).toMatchObject({ code: "overloaded", applied: "no" });
});

test("a call whose row cannot be written is refused: a read gives nothing away, and no row appears", async () => {
  const { call } = await agent(stack, { sub: "ada" });
  const { isError, facts, text } = await call("get-pending-todos");
  expect(isError).toBe(true);
  expect(facts).toMatchObject({ code: "overloaded", applied: "no", retry_after_seconds: 1 });
  expect(facts).not.toHaveProperty("todos");
  expect(text).toContain("nothing was changed, so call again");
  expect(await loggedCalls(sql, "ada")).toEqual([]);
});

test("a refusal for a missing scope is not given either, but 503", async () => {
  const { call } = await agent(stack, { sub: "ada", scope: "todos:read" });
  const { status, headers } = (await call("create-todo", { title: "x" })).answer;
  expect(status).toBe(503);
  expect(headers.get("retry-after")).toBe("1");
});
