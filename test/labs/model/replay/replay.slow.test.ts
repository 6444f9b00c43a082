import { afterAll, expect, test } from "bun:test";
import { loadConfig } from "../../../../shared/process/config.ts";
import { connectFailFast } from "../../../../shared/queue/connections.ts";
import { giveSign, signEveryMs } from "../../../../shared/queue/signs-of-life.ts";
import { testEnvironment } from "../../../harness.ts";
import { areTraces } from "./are-traces.ts";
import { openDoors } from "./doors.ts";
import { replay } from "./replay.ts";
import { slowTime } from "./slow-time.ts";
import { traces } from "./traces.ts";

const missing = ["spin", "gcc"].filter((program) => !Bun.which(program));
if (missing.length > 0)
  console.warn(`SKIPPED: whether traces are the model's needs ${missing.join(" and ")} (Debian).`);

const config = loadConfig({ ...(await testEnvironment()), WORKER_CONCURRENCY: "1" });
const time = await slowTime(config.databaseUrl);
const doors = await openDoors(config);
const redis = connectFailFast(config.redisUrl);
const signs = setInterval(() => giveSign(redis, config.queuePrefix), signEveryMs);

afterAll(async () => {
  clearInterval(signs);
  redis.disconnect();
  await time.stop();
  await doors.close();
});

test.skipIf(missing.length > 0)(
  "the model has each trace, and no trace that tells a late change as done",
  async () => {
    const { KEY = [], ORDER = [] } = Object.groupBy(traces, ({ scenario }) => scenario);
    const late = ORDER.find(({ events }) => events.includes("NO 0"));
    const events = late?.events.map((event) => (event === "NO 0" ? "DONE 0" : event)) ?? [];
    const wrong = { says: "", scenario: "ORDER", events } as const;
    expect(await areTraces(KEY)).toEqual(KEY.map(() => true));
    expect(await areTraces([...ORDER, wrong])).toEqual([...ORDER.map(() => true), false]);
  },
  60_000,
);

for (const trace of traces)
  test(`the service follows the model: ${trace.says}`, () => replay({ config, time, doors }, trace), 30_000);
