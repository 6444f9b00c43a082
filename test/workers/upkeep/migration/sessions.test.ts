import { afterAll, expect, test } from "bun:test";
import { openDatabase } from "../../../../shared/db/orm.ts";
import { createLog } from "../../../../shared/process/observe/log.ts";
import { changesColumns, renewSessions } from "../../../../workers/upkeep/migration/sessions.ts";
import { createDatabase } from "../../../harness.ts";

const url = await createDatabase();
const log = createLog("test", "silent");
const reads = await openDatabase({ url, log });
const migrations = await openDatabase({ url, log, purpose: "migrations", connections: 2 });
afterAll(() => Promise.all([reads.close(), migrations.close()]));

const all = () => reads.pool.query("select c.* from categories c where user_id = $1", ["ada"]);

test("after a column came, sessions begin anew, because a prepared statement would fail for good", async () => {
  await all();
  await migrations.pool.query("alter table categories add later int");
  await expect(all()).rejects.toThrow("cached plan must not change result type");
  await renewSessions(migrations.pool);
  await all();
});

test("only what changes columns renews sessions", () => {
  expect(changesColumns(["alter table todos\n  add due_time text"])).toBe(true);
  const others = [
    "alter table todos add constraint a check (true)",
    "create table b ()",
    "alter table todos set (a = 1)",
  ];
  expect(changesColumns(others)).toBe(false);
});
