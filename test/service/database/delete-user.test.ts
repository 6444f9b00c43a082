import { expect, test } from "bun:test";
import { sweepDeletedUsers } from "../../../workers/upkeep/deleted-users.ts";
import { useStack } from "../../harness.ts";

const stack = await useStack();
const { rest, issuer } = stack;

test("a closed account leaves no row behind but its journal, and other users keep theirs", async () => {
  const leaver = await issuer.token({ sub: "leaver", zoneinfo: "Asia/Tokyo" });
  const stayer = await issuer.token({ sub: "stayer" });
  for (const token of [leaver, stayer]) {
    const post = async (path: string, body: object) => (await rest("POST", path, { token, body })).body;
    const habit = await post("/habits", { name: "h", type: "good", frequency: "daily" });
    await post(`/habits/${habit.id}/complete`, {});
    await post("/categories", { name: "c" });
    const { id } = await post("/todos", { title: "t" });
    await rest("PUT", `/todos/${id}/reminder`, { token, body: { remind_at: "2099-01-01T00:00:00Z" } });
  }
  const { pool, send } = await stack.page();
  expect(await send("leaver", "user.delete", {})).toBeNull();
  const { rows } = await pool.query<{ table_name: string }>(
    "select table_name from information_schema.columns where column_name = 'user_id' and table_schema = 'public'",
  );
  const counts: Record<string, number> = {};
  const others = rows.filter((table) => !table.table_name.startsWith("journal"));
  for (const { table_name } of others) {
    const found = await pool.query(`select 1 from ${table_name} where user_id = 'leaver'`);
    counts[table_name] = found.rows.length;
  }
  expect(Object.values(counts).every((count) => count === 0)).toBe(true);
  expect(Object.keys(counts).length).toBeGreaterThan(7);
  expect((await rest("GET", "/dashboard", { token: stayer })).body.stats.total_habits).toBe(1);
});

test("what is written for a closed account is refused, and what slipped in is swept away", async () => {
  const token = await issuer.token({ sub: "busy" });
  const create = () => rest("POST", "/todos", { token, body: { title: "t" } });
  expect((await create()).status).toBe(201);
  const { pool, send } = await stack.page();
  const writers = Array.from({ length: 4 }, async () => {
    for (let turn = 0; turn < 20; turn++) await create();
  });
  await send("busy", "user.delete", {});
  await Promise.all(writers);
  const refused = await create();
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
    401,
    expect.stringContaining("invalid_token"),
  ]);
  await sweepDeletedUsers(pool);
  for (const table of ["todos", "inbox", "users"]) {
    const { rows } = await pool.query(`select 1 from ${table} where user_id = 'busy'`);
    expect(rows).toEqual([]);
  }
});
