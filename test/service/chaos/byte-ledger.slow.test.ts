import { expect, test } from "bun:test";
import { RedisClient } from "bun";
import { openDatabase } from "../../../shared/db/orm.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { measureAccounts, measureSoon } from "../../../workers/unit-of-work/bytes/measure.ts";
import { testEnvironment } from "../../harness.ts";
import { pidsOf, startRoles } from "../../support/chaos/roles.ts";
import { callDoors } from "../../support/chaos/world.ts";
import { accountBytes, storedBytes } from "../../support/stored-bytes.ts";

/** The bytes that one worker gathers before it writes them. */
const gathered = 16_384;

test("killed workers and an emptied Redis cost the ledger no more than what the workers had gathered", async () => {
  const env = await testEnvironment();
  const roles = await startRoles({ env, workers: 2 });
  const redis = new RedisClient(env.REDIS_URL ?? "");
  const sub = crypto.randomUUID();
  const call = callDoors(roles.baseUrls, await roles.issuer.token({ sub }));
  const { pool, close, ...rest } = await openDatabase({
    url: env.DATABASE_URL ?? "",
    log: createLog("test", "error"),
  });
  let kills = 0;
  for (let turn = 0; turn < 60; turn++) {
    const body = { title: `Todo ${turn}`, description: "x".repeat(2_000) };
    const send = () => call("POST", "/todos", { body, key: `turn ${turn}` }).catch(() => ({ status: 0 }));
    let sent = send();
    if (turn % 20 === 10) for (const pid of pidsOf("workers")) kills += process.kill(pid, "SIGKILL") ? 1 : 0;
    if (turn === 40) for (const key of await redis.keys(`*${env.QUEUE_PREFIX}*`)) await redis.del(key);
    for (; (await sent).status !== 201; sent = send()) await Bun.sleep(100);
  }
  const [kept, stored] = [await accountBytes(pool, sub), await storedBytes(pool, sub)];
  expect(kills).toBeGreaterThan(3);
  expect(stored).toBeGreaterThan(100_000);
  expect(Math.abs(kept - stored)).toBeLessThan((kills + 2) * gathered);
  await measureSoon(pool, sub);
  await measureAccounts({ pool, close, ...rest }, 400);
  expect(Math.abs((await accountBytes(pool, sub)) - stored)).toBeLessThan(500);
  await close();
  redis.close();
  await roles.stop();
}, 90_000);
