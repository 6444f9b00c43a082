import { expect } from "bun:test";
import { openDatabase } from "../../../../shared/db/orm.ts";
import { createLog } from "../../../../shared/process/observe/log.ts";
import { measureAccounts, measureSoon } from "../../../../workers/unit-of-work/bytes/measure.ts";
import type { Call } from "../../../support/chaos/world.ts";
import { untilAnswered } from "../../../support/chaos/writer.ts";
import { accountBytes, storedBytes } from "../../../support/stored-bytes.ts";

/** The bytes that one worker gathers before it writes them. */
const gathered = 16_384;

/** A client writes long todos. */
export async function writeLongTodos(call: Call): Promise<void> {
  for (let turn = 0; turn < 60; turn++) {
    const body = { title: `Todo ${turn}`, description: "x".repeat(2_000) };
    await untilAnswered(
      () => call("POST", "/todos", { body, key: `turn ${turn}` }),
      ({ status }) => status === 201,
    );
  }
}

/** The ledger is off by no more than what killed workers had gathered, and right once the account is measured. */
export async function expectLedger(databaseUrl: string, sub: string, kills: number): Promise<void> {
  const database = await openDatabase({ url: databaseUrl, log: createLog("test", "error") });
  const { pool } = database;
  const [kept, stored] = [await accountBytes(pool, sub), await storedBytes(pool, sub)];
  expect(stored).toBeGreaterThan(100_000);
  expect(Math.abs(kept - stored)).toBeLessThan((kills + 2) * gathered);
  await measureSoon(pool, sub);
  await measureAccounts(database, 400);
  expect(Math.abs((await accountBytes(pool, sub)) - stored)).toBeLessThan(500);
  await database.close();
}
