import { afterAll, expect, test } from "bun:test";
import { readSchema } from "../../../../shared/db/schema-guard.ts";
import { bringUp } from "../../../../workers/upkeep/migrate.ts";
import { allMigrations, pendingOf, tableFinder } from "../../../../workers/upkeep/migration/pending.ts";
import { planOf, printed } from "../../../../workers/upkeep/migration/plan.ts";
import { openEmptyDatabase } from "../../../support/empty-database.ts";

const database = await openEmptyDatabase();
afterAll(() => database.close());
const { pool } = database;
const all = allMigrations(database);
const plan = async () => planOf(pool, pendingOf(all, await readSchema(pool)), tableFinder(all));

test("a plan has each pending migration with its locks, the rows concerned and whether writes wait; none of ours lets them", async () => {
  expect((await plan()).every(({ isOnline, locks }) => isOnline && locks.length === 0)).toBe(true);
  await bringUp(database, { to: "20261213-byte-ledger" });
  await bringUp(database, { to: "20261210-works" });
  await pool.query(`
    insert into todos (user_id, id, title, is_completed, recurrence_from, created_at, updated_at)
    select 'ada', n, 'Pay', false, 'due', now(), now() from generate_series(1, 1234) n`);
  await pool.query("analyze");
  const planned = await plan();
  expect(planned[0]).toEqual({
    name: "20261216-kept-with-their-things",
    isOnline: true,
    locks: [
      { table: "deletions", mode: "share row exclusive", rows: 0 },
      { table: "habit_completions", mode: "access exclusive", rows: 0 },
      { table: "habits", mode: "access exclusive", rows: 0 },
      { table: "todos", mode: "access exclusive", rows: 1234 },
    ],
  });
  expect(printed(planned).find((line) => line.includes("due-time"))).toBe(
    "20261218-due-time                 online  access exclusive on todos (1,234 rows)",
  );
  expect(planned.filter(({ isOnline }) => !isOnline)).toEqual([]);
  const blocking = [{ name: "later", isOnline: false, statements: ["create index a on todos (title)"] }];
  expect(await planOf(pool, blocking, () => undefined)).toMatchObject([{ isOnline: false }]);
  await bringUp(database);
  expect(await plan()).toEqual([]);
});
