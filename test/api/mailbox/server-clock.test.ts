import { afterAll, expect, setSystemTime, test } from "bun:test";
import { openServerClock } from "../../../api/mailbox/server-clock.ts";
import { openDatabase } from "../../../shared/db/orm.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { createDatabase } from "../../harness.ts";

const log = createLog("test", "silent");
const database = await openDatabase({ url: await createDatabase(), log, connections: 2 });
afterAll(() => database.close());

const serverTime = async (): Promise<number> => {
  const text = "select extract(epoch from clock_timestamp()) * 1000 as ms";
  return Number((await database.pool.query<{ ms: string }>(text)).rows[0]?.ms);
};

test("it shows PostgreSQL's time, whatever the host's clock does", async () => {
  const clock = await openServerClock(database.pool);
  expect(clock.known()).toBe(true);
  const before = await serverTime();
  setSystemTime(new Date("2031-01-01T00:00:00Z"));
  const shown = clock.now();
  setSystemTime();
  const after = await serverTime();
  expect(shown).toBeWithin(before - 1_000, after + 1_000);
  clock.close();
});

test("it does not pretend to know the time of a database that is down", async () => {
  const pool = { query: () => Promise.reject(new Error("away")) };
  const clock = await openServerClock(pool as never);
  expect(clock.known()).toBe(false);
  expect(clock.now()).toBeWithin(Date.now() - 1_000, Date.now() + 1_000);
  clock.close();
});
