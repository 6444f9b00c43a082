import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { migrate } from "../../../workers/upkeep/migrate.ts";
import { createDatabase, startStack } from "../../harness.ts";
import { cutByUser } from "../../support/hash-partitions.ts";

const databaseUrl = await createDatabase();
const sql = new SQL(databaseUrl, { max: 1 });
await sql.unsafe(cutByUser(4));
// The tables are new ones, and the roles get their rights at a migration.
await migrate(databaseUrl, "error");
afterAll(() => sql.close());
const stack = await startStack({ env: { DATABASE_URL: databaseUrl } });

test("on partitions by user, a deletion removes nobody else's row that lies at the same place", async () => {
  const users = Array.from({ length: 12 }, (_, index) => `user ${index}`);
  const todos = new Map<string, number>();
  for (const sub of users) {
    const token = await stack.issuer.token({ sub });
    const { body } = await stack.rest("POST", "/todos", { token, body: { title: sub } });
    todos.set(sub, body.id);
  }
  const [{ places }] = await sql`select count(distinct ctid)::int as places from todos`;
  expect(places).toBeLessThan(users.length);
  const [first = ""] = users;
  const token = await stack.issuer.token({ sub: first });
  expect((await stack.rest("DELETE", `/todos/${todos.get(first)}`, { token })).status).toBe(204);
  const left = await sql`select title from todos order by id`;
  expect(left.map(({ title }: { title: string }) => title)).toEqual(users.slice(1));
});
