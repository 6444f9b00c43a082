import { expect, test } from "bun:test";
import { createDispatch } from "../../../api/mailbox/dispatch.ts";
import { openMailbox } from "../../../api/mailbox/mailbox.ts";
import { openServerClock } from "../../../api/mailbox/server-clock.ts";
import { openDatabase } from "../../../shared/db/orm.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { sweepDeletedUsers } from "../../../workers/upkeep/deleted-users.ts";
import { useStack } from "../../harness.ts";

const { rest, issuer, config } = await useStack();

/** Like the identity provider, this test sends commands to the workers; it also reads the database. */
async function connect() {
  const database = await openDatabase({
    url: config.databaseUrl,
    log: createLog("test", "error"),
    connections: 1,
  });
  const mailbox = await openMailbox(config, database.pool);
  const clock = await openServerClock(database.pool);
  return {
    database,
    dispatch: createDispatch(mailbox, database, clock),
    async close() {
      clock.close();
      await mailbox.close();
      await database.close();
    },
  };
}

test("a closed account leaves no row behind but its journal, and other users keep theirs", async () => {
  const tokens = [
    await issuer.token({ sub: "leaver", zoneinfo: "Asia/Tokyo" }),
    await issuer.token({ sub: "stayer" }),
  ];
  for (const token of tokens) {
    const habit = await rest("POST", "/habits", {
      token,
      body: { name: "h", type: "good", frequency: "daily" },
    });
    await rest("POST", `/habits/${habit.body.id}/complete`, { token });
    await rest("POST", "/categories", { token, body: { name: "c" } });
    const todo = await rest("POST", "/todos", { token, body: { title: "t" } });
    await rest("PUT", `/todos/${todo.body.id}/reminder`, {
      token,
      body: { remind_at: "2099-01-01T00:00:00Z" },
    });
  }
  const { database, dispatch, close } = await connect();
  const { outcome } = await dispatch({ userId: "leaver" }, { name: "user.delete", input: {} });
  expect(outcome).toEqual({ body: null });
  const { rows } = await database.pool.query<{ table_name: string }>(
    "select table_name from information_schema.columns where column_name = 'user_id' and table_schema = 'public'",
  );
  const counts: Record<string, number> = {};
  const others = rows.filter((table) => !table.table_name.startsWith("journal"));
  for (const { table_name } of others) {
    const found = await database.pool.query(`select 1 from ${table_name} where user_id = 'leaver'`);
    counts[table_name] = found.rows.length;
  }
  expect(Object.values(counts).every((count) => count === 0)).toBe(true);
  expect(Object.keys(counts).length).toBeGreaterThan(7);
  await close();
  expect((await rest("GET", "/dashboard", { token: tokens[1] ?? "" })).body.stats.total_habits).toBe(1);
});

test("what is written for a closed account is refused, and what slipped in is swept away", async () => {
  const token = await issuer.token({ sub: "busy" });
  const create = () => rest("POST", "/todos", { token, body: { title: "t" } });
  expect((await create()).status).toBe(201);
  const { database, dispatch, close } = await connect();
  const writers = Array.from({ length: 4 }, async () => {
    for (let turn = 0; turn < 20; turn++) await create();
  });
  await dispatch({ userId: "busy" }, { name: "user.delete", input: {} });
  await Promise.all(writers);
  const refused = await create();
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
    401,
    expect.stringContaining("invalid_token"),
  ]);
  await sweepDeletedUsers(database.pool);
  for (const table of ["todos", "inbox", "users"]) {
    const { rows } = await database.pool.query(`select 1 from ${table} where user_id = 'busy'`);
    expect(rows).toEqual([]);
  }
  await close();
});
