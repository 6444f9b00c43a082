import { afterAll, expect, test } from "bun:test";
import type { PoolClient } from "pg";
import { bringUp, listMigrations } from "../../../../workers/upkeep/migrate.ts";
import { planOf } from "../../../../workers/upkeep/migration/plan.ts";
import { openEmptyDatabase } from "../../../support/empty-database.ts";
import { smallMigrations } from "../../../support/small-migrations.ts";

const database = await openEmptyDatabase();
afterAll(() => database.close());
const { pool } = database;

const [schema] = listMigrations(database);
const small = listMigrations(database, smallMigrations);
const plain = (statements: readonly string[]) => ({ name: "later", isOnline: false, statements });

test("a plan has each pending migration with its locks, the rows concerned and whether writes wait", async () => {
  const name = schema?.name.padEnd(34);
  expect(await planOf(pool, listMigrations(database))).toEqual([`${name}online  no table in use`]);
  await bringUp(database);
  await pool.query(`
    insert into todos (user_id, id, title, is_completed, recurrence_from, created_at, updated_at)
    select 'ada', n, 'Pay', false, 'due', now(), now() from generate_series(1, 1234) n`);
  await pool.query(`
    insert into action_log (user_id, request_id, token_id, tool, arguments, outcome, replayed, called_at, duration_ms)
    select 'ada', gen_random_uuid(), 't', 'x', '{}', 'ok', false, now(), 1 from generate_series(1, 5)`);
  await pool.query("analyze");
  const [, effort] = await planOf(pool, small);
  const locks = [
    "share on action_log (5 rows)",
    "access exclusive on categories (0 rows)",
    "access exclusive on habits (0 rows)",
    "share update exclusive on reminders (0 rows)",
    "access exclusive on todos (1,234 rows)",
  ];
  expect(effort).toBe(`${"20990102-effort".padEnd(34)}online  ${locks.join(", ")}`);
  const [line] = await planOf(pool, [plain(["create index a on todos (title)"])]);
  expect(line).toBe(`${"later".padEnd(34)}writes wait  share on todos (1,234 rows)`);
});

const cases: readonly [string, string][] = [
  ["alter table todos add place text", "access exclusive on todos"],
  ["alter table todos set (fillfactor = 70)", "share update exclusive on todos"],
  ["create index concurrently if not exists a on todos (id)", "share update exclusive on todos"],
  ["create index a on todos (id)", "share on todos"],
  ["drop index concurrently if exists todos_by_status", "share update exclusive on todos"],
  ["drop index todos_by_status", "access exclusive on todos"],
  ["create policy own on todos using (true)", "access exclusive on todos"],
  ["create function f() returns trigger language sql as $$ update todos set id = 1 $$", "no table in use"],
  [
    "insert into users select 1 on conflict do update set id = 2; delete from todos",
    "row exclusive on todos, row exclusive on users",
  ],
  ["create trigger a before insert or update on todos for each row", "share row exclusive on todos"],
  [
    "do $$ begin lock table habits, todos in access exclusive mode; end $$",
    "access exclusive on habits, access exclusive on todos",
  ],
];

test.each(cases)("the locks of a statement are read from it: %s", async (statement, locks) => {
  const [line = ""] = await planOf(pool, [plain([statement])]);
  expect(line.replace(/^later +(online|writes wait) {2}| \([\d,]+ rows\)/g, "")).toBe(locks);
});

test("writes wait for a statement that works on all rows at once under a lock", async () => {
  const locking = "alter table todos add place text";
  const all = [
    "create index a on todos (id)",
    "update todos set id = 1",
    "alter table todos alter id set not null",
  ];
  const waiting = await planOf(pool, [...all.map((text) => plain([locking, text]))]);
  expect(waiting.map((line) => line.includes("writes wait"))).toEqual([true, true, true]);
  const none = [
    "create index concurrently a on todos (id)",
    "do $$ begin update todos set id = 1; commit; end $$",
  ];
  const online = await planOf(pool, [
    ...none.map((text) => plain([locking, text])),
    plain(["update todos set id = 1"]),
  ]);
  expect(online.map((line) => line.includes("online"))).toEqual([true, true, true]);
});

test("the plan names the locks that PostgreSQL takes for each migration", async () => {
  for (const migration of small) {
    const { isOnline, statements } = migration;
    for (const part of isOnline ? statements.map((text) => [text]) : [statements]) {
      const [planned] = await planOf(pool, [{ ...migration, statements: part }]);
      const taken = part.some(runsInNoTransaction) ? {} : await locksTaken(part);
      for (const [table, mode] of Object.entries(taken))
        expect(planned).toMatch(new RegExp(`(  |, )${mode} on ${table} `));
      // Later statements of an online migration need the earlier ones.
      if (isOnline) await pool.query(part.join());
    }
    await bringUp(database, small);
  }
  expect(await planOf(pool, [])).toEqual([]);
});

/** Locks can be seen only in a transaction. */
const runsInNoTransaction = (statement: string) => /concurrently|commit;/.test(statement);

const strength = [
  "RowExclusiveLock",
  "ShareUpdateExclusiveLock",
  "ShareLock",
  "ShareRowExclusiveLock",
  "AccessExclusiveLock",
];

/** The strongest lock that statements take on each table that is there before it, undone afterwards. */
async function locksTaken(statements: readonly string[]): Promise<Record<string, string>> {
  const connection = await pool.connect();
  try {
    const tables = await tablesOf(connection);
    await connection.query("begin");
    for (const statement of statements) await connection.query(statement);
    const { rows } = await connection.query<{ oid: string; mode: string }>(
      `select relation::text as oid, mode from pg_locks
       where pid = pg_backend_pid() and relation = any($1::oid[]) and mode = any($2::text[])`,
      [[...tables.keys()], strength],
    );
    await connection.query("rollback");
    const strongest: Record<string, string> = {};
    for (const mode of strength)
      for (const { oid } of rows.filter((lock) => lock.mode === mode))
        strongest[tables.get(oid) ?? oid] = spelt(mode);
    return strongest;
  } finally {
    connection.release();
  }
}

/** The names of tables by oid, because a dropped one has none. Partitions follow their tables. */
async function tablesOf(connection: PoolClient): Promise<ReadonlyMap<string, string>> {
  const { rows } = await connection.query(
    `select oid::text, oid::regclass::text as name from pg_class where relkind in ('r', 'p') and not relispartition
     and relnamespace::regnamespace::text in ('public', 'identity')`,
  );
  return new Map(rows.map(({ oid, name }) => [oid, name]));
}

const spelt = (mode: string) =>
  mode
    .replace("Lock", "")
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase();
