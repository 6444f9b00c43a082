import { afterAll, expect, spyOn, test } from "bun:test";
import { SQL } from "bun";
import * as loading from "../../../workers/unit-of-work/load.ts";
import { useStack } from "../../harness.ts";
import { agent } from "../../support/mcp.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => sql.close());
const stack = await useStack();
const sql = new SQL(stack.config.databaseUrl, { max: 1 });

test.each([
  ["deleted", (id: number) => sql`delete from categories where id = ${id}`],
  ["renamed", (id: number) => sql`update categories set name = 'Away' where id = ${id}`],
] as const)(
  "a category that is %s between being found by its name and being locked is unknown",
  async (_, meanwhile) => {
    const { call, token } = await agent(stack, { sub: crypto.randomUUID() });
    const { body } = await stack.rest("POST", "/categories", { token, body: { name: "Home" } });
    const { load } = loading;
    let searches = 0;
    const spy = spyOn(loading, "load").mockImplementation(async (...args) => {
      const skipped = await load(...args);
      if (args[2].some(({ table, key }) => table === "categories" && key === undefined)) {
        searches += 1;
        await meanwhile(body.id);
      }
      return skipped;
    });
    const { facts, text } = await call("create-todo", { title: "x", category: "home" });
    spy.mockRestore();
    expect(facts).toMatchObject({ code: "invalid", errors: { category: [expect.any(String)] } });
    expect(text).not.toContain('"Home"');
    expect(searches).toBe(1);
  },
);
