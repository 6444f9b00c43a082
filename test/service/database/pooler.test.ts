import { expect, test } from "bun:test";
import { SQL } from "bun";
import { exclusively } from "../../../shared/db/exclusively.ts";
import { openDatabase } from "../../../shared/db/orm.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { createDatabase } from "../../harness.ts";
import {
  createPooledDatabase,
  type Pooler,
  pgbouncer,
  startPooler,
} from "../../support/servers/pgbouncer.ts";
import { services } from "../../support/servers/services.ts";

const log = createLog("test", "silent");

/** A test behind a real PgBouncer in transaction mode, with the configuration of docs/postgres.md. */
const testPooled = (name: string, work: (pooler: Pooler, server: SQL) => Promise<void>) =>
  test.skipIf(!pgbouncer)(name, async () => {
    const { databaseUrl } = await services();
    const pooler = await startPooler(databaseUrl, await createPooledDatabase(databaseUrl));
    const server = new SQL(databaseUrl, { max: 1 });
    await work(pooler, server).finally(() => Promise.all([pooler.stop(), server.close()]));
  });

testPooled("a user who lacks a session setting is refused, by the setting's name", async (pooler, server) => {
  for (const [purpose, url] of [
    ["reads", pooler.pooled.door],
    ["writes", pooler.pooled.worker],
  ] as const) {
    await server.unsafe(`alter role ${new URL(url).username} reset statement_timeout`);
    await expect(openDatabase({ url, log, purpose })).rejects.toThrow(
      /The database session has statement_timeout=0ms instead of \d+m?s: /,
    );
  }
});

testPooled("a pooler that drops prepared statements is refused, by the setting's name", async (pooler) => {
  for (const [purpose, url] of [
    ["reads", pooler.pooled.door],
    ["writes", pooler.pooled.worker],
  ] as const) {
    const opened = openDatabase({ url, log, purpose }).then(({ close }) => close());
    if (pooler.prepare === "no") await expect(opened).rejects.toThrow("set DATABASE_PREPARE=no");
    else await opened;
    await openDatabase({ url, log, purpose, prepare: false }).then(({ close }) => close());
  }
});

testPooled("24 connections share twenty of PostgreSQL's and get their own answers", async (pooler) => {
  const { pool, close } = await openDatabase({
    url: pooler.pooled.worker,
    log,
    purpose: "writes",
    connections: 24,
    prepare: pooler.prepare === "yes",
  });
  // One after another, because many at once may take longer than a connection is given.
  const clients = [];
  while (clients.length < 24) clients.push(await pool.connect());
  for (const client of clients) client.release();
  const ask = async (number: number) => {
    const text = `select $1::int as number, pg_backend_pid() as pid, pg_sleep(0.02), ${number % 40} as variant`;
    const { rows } = await pool.query(text, [number]);
    expect(rows[0]).toMatchObject({ number, variant: number % 40 });
    return rows[0].pid;
  };
  const pids = await Promise.all(Array.from({ length: 400 }, (_, number) => ask(number)));
  expect(new Set(pids).size).toBeWithin(2, 21);
  expect(pool.totalCount).toBe(24);
  await close();
});

test("a statement's name depends on its text alone, so processes that share connections mean the same by it", async () => {
  const texts = ["select $1::int as one", "select $1::text as other"];
  const namesAfter = async (order: readonly string[]) => {
    const url = await createDatabase();
    const database = await openDatabase({ url, log, connections: 1 });
    for (const text of order) await database.pool.query(text, [1]);
    const { rows } = await database.pool.query(
      "select name, statement from pg_prepared_statements order by 1",
    );
    await database.close();
    return rows;
  };
  const names = await namesAfter(texts);
  // The third names the users of reads.
  expect(names).toHaveLength(3);
  expect(await namesAfter(texts.toReversed())).toEqual(names);
});

test("statements have no names where a pooler cannot follow them", async () => {
  const url = await createDatabase();
  const database = await openDatabase({ url, log, connections: 1, prepare: false });
  await database.pool.query("select $1::int", [1]);
  const { rows } = await database.pool.query("select name from pg_prepared_statements");
  expect(rows).toEqual([]);
  await database.close();
});

test("one process at a time does exclusive work, and no lock outlives it", async () => {
  const { pool, close } = await openDatabase({ url: await createDatabase(), log, purpose: "writes" });
  let [running, most] = [0, 0];
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await Bun.sleep(20);
    running -= 1;
    return "done";
  };
  const ask = (taken: "wait" | "skip") => exclusively(pool, { name: "test", taken }, work);
  expect(await Promise.all([ask("wait"), ask("wait"), ask("wait")])).toEqual(["done", "done", "done"]);
  expect(most).toBe(1);
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = exclusively(pool, { name: "test", taken: "skip" }, async () => {
    begun.resolve();
    await over.promise;
    return "done";
  });
  await begun.promise;
  for (const answer of await Promise.all([ask("skip"), ask("skip")])) expect(answer).not.toBe("done");
  over.resolve();
  expect(await held).toBe("done");
  await exclusively(pool, { name: "test", taken: "skip" }, () => Promise.reject(new Error("failed"))).catch(
    () => {},
  );
  const { rows } = await pool.query(
    "select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
  );
  expect(rows).toEqual([]);
  await close();
});
