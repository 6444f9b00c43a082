import { afterAll, expect, test } from "bun:test";
import type { PoolClient } from "pg";
import { bringUp } from "../../../../workers/upkeep/migrate.ts";
import { isLong, locksOf } from "../../../../workers/upkeep/migration/locks.ts";
import { allMigrations, tableFinder } from "../../../../workers/upkeep/migration/pending.ts";
import { openEmptyDatabase } from "../../../support/empty-database.ts";

const cases: readonly [string, Record<string, string>][] = [
  ["alter table todos add due_time text", { todos: "access exclusive" }],
  ["alter table todos set (fillfactor = 70)", { todos: "share update exclusive" }],
  ["create index concurrently if not exists a on todos (id)", { todos: "share update exclusive" }],
  ["create index a on todos (id)", { todos: "share" }],
  ["drop index concurrently if exists todos_pending", { todos: "share update exclusive" }],
  ["drop index todos_pending", { todos: "access exclusive" }],
  ["create policy own on todos using (true)", { todos: "access exclusive" }],
  ["create function f() returns trigger language sql as $$ update todos set id = 1 $$", {}],
  [
    "insert into users select 1 on conflict do update set id = 2; delete from todos",
    { todos: "row exclusive", users: "row exclusive" },
  ],
  ["create trigger a before insert or update on todos for each row", { todos: "share row exclusive" }],
  [
    "do $$ begin lock table habits, todos in access exclusive mode; end $$",
    { habits: "access exclusive", todos: "access exclusive" },
  ],
];

test.each(cases)("the locks of a statement are read from it: %s", (statement, locks) => {
  const tableOf = (name: string) => (name === "todos_pending" ? "todos" : undefined);
  expect<object>(Object.fromEntries(locksOf([statement], tableOf))).toEqual(locks);
});

test("a statement is long if it works on all rows at once", () => {
  const all = [
    "create index a on todos (id)",
    "update todos set id = 1",
    "alter table t alter c set not null",
  ];
  expect(all.map(isLong)).toEqual([true, true, true]);
  const none = [
    "create index concurrently a on todos (id)",
    "do $$ begin update todos set id = 1; commit; end $$",
  ];
  expect(none.map(isLong)).toEqual([false, false]);
});

const database = await openEmptyDatabase();
afterAll(() => database.close());

test("the plan names the locks that PostgreSQL takes for each migration", async () => {
  const all = allMigrations(database);
  const tableOf = tableFinder(all);
  for (const { name, isOnline, statements } of all) {
    for (const part of isOnline ? statements.map((text) => [text]) : [statements]) {
      const planned = Object.fromEntries(locksOf(part, tableOf));
      const taken = part.some(runsInNoTransaction) ? {} : await locksTaken(part);
      for (const [table, mode] of Object.entries(taken))
        expect([name, table, planned[table]]).toEqual([name, table, mode]);
      // Later statements of an online migration need the earlier ones.
      if (isOnline) await database.pool.query(part.join());
    }
    await bringUp(database, { to: name });
  }
}, 30_000);

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
  const connection = await database.pool.connect();
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
