import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Database } from "../../../shared/db/orm.ts";
import { applyMigration, bringUp, listMigrations } from "../../../workers/upkeep/migrate.ts";
import { openEmptyDatabase } from "../../support/empty-database.ts";
import { smallMigrations } from "../../support/small-migrations.ts";

let database: Database;
beforeEach(async () => {
  database = await openEmptyDatabase();
  await bringUp(database);
});
afterEach(() => database.close());

const plain = (statements: readonly string[], isOnline = false) => ({ name: "later", isOnline, statements });
const rowsOf = async (text: string) => (await database.pool.query(text)).rows;
const recorded = () => rowsOf("select name from mikro_orm_migrations where name = 'later'");

test("a migration waits for a busy table in short tries, so that those who come after it wait as shortly", async () => {
  const { pool } = database;
  const busy = await pool.connect();
  await busy.query("begin");
  await busy.query(
    "insert into todos (user_id, id, title, is_completed, recurrence_from, created_at, updated_at) values ('ada', 1, 'Pay', false, 'due', now(), now())",
  );
  const statements = ["create table early ()", "alter table todos add later int"];
  const applied = applyMigration(pool, plain(statements));
  // Reads go on, because this session commits only after them.
  for (let reads = 0; reads < 40; reads++) {
    await rowsOf("select from todos");
    await Bun.sleep(10);
  }
  expect(await recorded()).toEqual([]);
  expect(await rowsOf("select from pg_class where relname = 'early'")).toEqual([]);
  await busy.query("commit");
  busy.release();
  await applied;
  expect(await recorded()).toHaveLength(1);
});

test("an index whose build has failed is dropped and built again", async () => {
  const { pool } = database;
  const isValid = "select indisvalid from pg_index where indexrelid = 'todos_by_effort'::regclass";
  await pool.query("create table things (id int); insert into things values (1), (1)");
  const broken = pool.query("create unique index concurrently todos_by_effort on things (id)");
  await expect(broken).rejects.toThrow("could not create unique index");
  expect(await rowsOf(isValid)).toEqual([{ indisvalid: false }]);
  await bringUp(database, listMigrations(database, smallMigrations));
  expect(await rowsOf(isValid)).toEqual([{ indisvalid: true }]);
});

test("migrations of each kind are applied in order, and an online one can be repeated, whole and from its middle", async () => {
  const { pool } = database;
  const small = listMigrations(database, smallMigrations);
  await bringUp(database, small);
  const names = small.map(({ name }) => ({ name }));
  expect(await rowsOf("select name from mikro_orm_migrations order by id offset 1")).toEqual(names);
  const before = await schema();
  for (const migration of small.filter(({ isOnline }) => isOnline)) {
    const half = migration.statements.slice(0, migration.statements.length / 2);
    for (const statements of [migration.statements, half, migration.statements])
      await applyMigration(pool, { ...migration, statements });
    expect(await schema()).toEqual(before);
  }
});

const schema = () =>
  rowsOf(`
    select 'index' as kind, pg_get_indexdef(indexrelid) || indisvalid as text from pg_index
      where indexrelid::regclass::text !~ '^pg_'
    union all select 'column', attrelid::regclass || '.' || attname || ' ' || atttypid::regtype || attnotnull
      from pg_attribute where attnum > 0 and not attisdropped and attrelid::regclass::text !~ '[.]|^pg_'
    union all select 'constraint', conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
    union all select 'trigger', pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all select 'function', pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
    order by 1, 2`);
