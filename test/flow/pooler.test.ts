import { expect, test } from "bun:test";
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
