import { afterAll, expect, test } from "bun:test";
import { bringUp, listMigrations, planOf } from "../../../workers/upkeep/migrate.ts";
import { openEmptyDatabase } from "../../support/empty-database.ts";
import { smallMigrations } from "../../support/small-migrations.ts";

const database = await openEmptyDatabase();
afterAll(() => database.close());
const { pool } = database;

const lineOf = (name: string, ...parts: string[]) => name.padEnd(34) + parts.join("  ");

test("a plan has each migration with its tables, their rows and whether writes wait", async () => {
  const all = listMigrations(database);
  expect(await planOf(pool, all)).toEqual([lineOf(all[0]?.name ?? "", "online", "no table in use")]);
  await bringUp(database);
  await pool.query(`
    insert into todos (user_id, id, title, is_completed, recurrence_from, created_at, updated_at)
    select 'ada', n, 'Pay', false, 'due', now(), now() from generate_series(1, 1234) n`);
  await pool.query(`
    insert into action_log (user_id, request_id, token_id, tool, arguments, outcome, replayed, called_at, duration_ms)
    select 'ada', gen_random_uuid(), 't', 'x', '{}', 'ok', false, now(), 1 from generate_series(1, 5)`);
  await pool.query("analyze");
  const [, effort] = await planOf(pool, listMigrations(database, smallMigrations));
  const tables = ["action_log (5 rows)", "categories (0 rows)", "habits (0 rows)", "reminders (0 rows)"];
  const named = [...tables, "todos (1,234 rows)"].join(", ");
  expect(effort).toBe(lineOf("20990102-effort", "online", named));
});

const waiting = [
  "create index a on todos (id)",
  "update todos set id = 1",
  "delete from todos",
  "insert into habits (id)\n select id from todos",
  "alter table todos alter id set not null",
  "alter table todos add primary key (id)",
];
const atOnce = [
  "alter table todos add place text",
  "create index concurrently if not exists a on todos (id)",
  "do $$ begin update todos set id = 1; commit; end $$",
  "create function f() returns trigger language sql as $$ update todos set id = 1 $$",
  "update works set total = 1",
];

test.each([...waiting, ...atOnce])(
  "writes wait if a statement works on all rows at once: %s",
  async (text) => {
    const [line] = await planOf(pool, [{ name: "later", isOnline: false, statements: [text] }]);
    expect(line).toStartWith(lineOf("later", waiting.includes(text) ? "writes wait" : "online"));
  },
);

test("the table of an index is told, and a table that is not there is not", async () => {
  const statements = ["drop index works_ended", "create table later ()"];
  const plan = await planOf(pool, [{ name: "later", isOnline: false, statements }]);
  expect(plan).toEqual([lineOf("later", "online", "works (0 rows)")]);
});
