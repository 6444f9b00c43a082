import { afterAll, expect, test } from "bun:test";
import { openDatabase } from "../../../shared/db/orm.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { applyMigration, renewSessions } from "../../../workers/upkeep/migrate.ts";
import { createDatabase } from "../../harness.ts";

const url = await createDatabase();
const log = createLog("test", "silent");
const reads = await openDatabase({ url, log });
const migrations = await openDatabase({ url, log, purpose: "migrations", connections: 2 });
afterAll(() => Promise.all([reads.close(), migrations.close()]));

const all = () => reads.pool.query("select c.* from categories c where user_id = $1", ["ada"]);
const session = async () => (await reads.pool.query("select pg_backend_pid() as pid")).rows[0].pid;

test("after a column came, sessions begin anew, because a prepared statement would fail for good", async () => {
  await all();
  const added = ["alter table categories\n  add later int"];
  await migrations.pool.query(added.join());
  await expect(all()).rejects.toThrow("cached plan must not change result type");
  await renewSessions(migrations.pool, added);
  await all();
});

test("only what changes columns renews sessions", async () => {
  const before = await session();
  await renewSessions(migrations.pool, [
    "alter table todos add constraint a check (true)",
    "create table b ()",
    "alter table todos set (a = 1)",
  ]);
  expect(await session()).toBe(before);
});

test("sessions begin anew after each transaction of an online migration, long before its end", async () => {
  const before = await session();
  const untilItEnded = `
    do $$ begin
      while exists (select from pg_stat_activity where pid = ${before} and application_name = 'kept-reads') loop
        perform pg_sleep(0.01), pg_stat_clear_snapshot();
      end loop;
    end $$`;
  const statements = ["alter table categories add colour text", untilItEnded];
  await applyMigration(migrations.pool, { name: "later", isOnline: true, statements });
  expect(await session()).not.toBe(before);
});
