import { expect, test } from "bun:test";
import { exclusively } from "../../shared/db/exclusively.ts";
import { openDatabase } from "../../shared/db/orm.ts";
import { createLog } from "../../shared/process/log.ts";
import { createDatabase } from "../harness.ts";
import { openCareless } from "../support/careless-pooler.ts";

test("a pooler that drops the session's settings is refused, by the setting's name", async () => {
  const pooler = openCareless(await createDatabase());
  for (const purpose of ["reads", "writes"] as const) {
    const opened = openDatabase({ url: pooler.url, log: createLog("test", "silent"), purpose }).then(
      async (database) => {
        await database.close();
        return "opened";
      },
      (error: Error) => error.message,
    );
    expect(await opened).toMatch(/The database session has \w+=.* instead of/);
  }
  pooler.close();
});

test("a server with the settings that were asked for is accepted", async () => {
  const database = await openDatabase({
    url: await createDatabase(),
    log: createLog("test", "silent"),
    purpose: "writes",
  });
  const { rows } = await database.pool.query("show idle_in_transaction_session_timeout");
  expect(rows).toEqual([{ idle_in_transaction_session_timeout: "2s" }]);
  await database.close();
});

test("a statement's name depends on its text alone, so processes that share connections mean the same by it", async () => {
  const texts = ["select $1::int as one", "select $1::text as other"];
  const namesAfter = async (order: readonly string[]) => {
    const url = await createDatabase();
    const database = await openDatabase({ url, log: createLog("test", "silent"), connections: 1 });
    for (const text of order) await database.pool.query(text, [1]);
    const { rows } = await database.pool.query(
      "select name, statement from pg_prepared_statements order by 1",
    );
    await database.close();
    return rows;
  };
  const names = await namesAfter(texts);
  expect(names).toHaveLength(2);
  expect(await namesAfter(texts.toReversed())).toEqual(names);
});

test("statements have no names where a pooler cannot follow them", async () => {
  const url = await createDatabase();
  const database = await openDatabase({
    url,
    log: createLog("test", "silent"),
    connections: 1,
    prepare: false,
  });
  await database.pool.query("select $1::int", [1]);
  const { rows } = await database.pool.query("select name from pg_prepared_statements");
  expect(rows).toEqual([]);
  await database.close();
});

test("one process at a time does exclusive work, and no lock outlives it", async () => {
  const log = createLog("test", "silent");
  const { pool, close } = await openDatabase({ url: await createDatabase(), log, purpose: "writes" });
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await Bun.sleep(100);
    running -= 1;
    return "done";
  };
  const ask = (taken: "wait" | "skip") => exclusively(pool, { name: "test", taken }, work);
  expect(await Promise.all([ask("wait"), ask("wait"), ask("wait")])).toEqual(["done", "done", "done"]);
  expect(most).toBe(1);
  const asked = await Promise.all([ask("skip"), ask("skip"), ask("skip")]);
  expect(asked.filter((answer) => answer === "done")).toHaveLength(1);
  await exclusively(pool, { name: "test", taken: "skip" }, () => Promise.reject(new Error("failed"))).catch(
    () => {},
  );
  const { rows } = await pool.query(
    "select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
  );
  expect(rows).toEqual([]);
  await close();
});
