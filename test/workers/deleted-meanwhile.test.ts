import { afterAll, expect, spyOn, test } from "bun:test";
import { SQL } from "bun";
import * as loading from "../../workers/unit-of-work/load.ts";
import { startStack } from "../harness.ts";
import { agent } from "../mcp/support.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => sql.close());
const stack = await startStack();
const sql = new SQL(stack.config.databaseUrl, { max: 1 });

test("a category that is deleted between being found by its name and being locked is unknown", async () => {
  const { call, token } = await agent(stack, { sub: crypto.randomUUID() });
  const { body } = await stack.rest("POST", "/categories", { token, body: { name: "Home" } });
  const { load } = loading;
  const spy = spyOn(loading, "load").mockImplementation(async (...args) => {
    const skipped = await load(...args);
    if (args[3].some(({ table, key }) => table === "categories" && key === undefined))
      await sql`delete from categories where id = ${body.id}`;
    return skipped;
  });
  const { facts, text } = await call("create-todo", { title: "x", category: "home" });
  spy.mockRestore();
  expect(facts).toMatchObject({ code: "invalid", errors: { category: [expect.any(String)] } });
  expect(text).not.toContain('"Home"');
});
