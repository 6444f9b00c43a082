import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { loadConfig } from "../../../../shared/process/config.ts";
import { connectFailFast } from "../../../../shared/queue/connections.ts";
import { giveSign, signEveryMs } from "../../../../shared/queue/signs-of-life.ts";
import { testEnvironment } from "../../../harness.ts";
import { inFolder } from "../../../support/folder.ts";
import { openDoors } from "./doors.ts";
import { replay } from "./replay.ts";
import { slowTime } from "./slow-time.ts";
import { type Trace, traces } from "./traces.ts";

/**
 * Asks the checker for a run of the model with exactly the events of each trace, which are all of one scenario.
 * @returns for each trace, whether there is one
 */
const areTraces = (traces: readonly Trace[]): Promise<boolean[]> =>
  inFolder("trace", async (cwd) => {
    await Bun.write(join(cwd, "trace.pml"), listening(traces));
    await Bun.$`spin -a trace.pml`.cwd(cwd).quiet();
    await Bun.$`gcc -DSAFETY -DNOREDUCE -w -o pan pan.c`.cwd(cwd).quiet();
    const isTrace = async ({ events: { length } }: Trace, which: number) => {
      const text = await Bun.$`WHICH=${which} LENGTH=${length} ./pan -n -w18`.cwd(cwd).nothrow().text();
      return text.includes("end state in claim reached");
    };
    return Promise.all(traces.map(isTrace));
  });

/** The model with a place in the trace. Each event moves it on, or ends the run. At the end of the trace the claim breaks. */
function listening(traces: readonly Trace[]): string {
  const isNext = traces.flatMap(({ events }, which) =>
    events.map((event, place) => {
      const [name, number] = event.split(" ");
      return `(which == ${which} && place == ${place} && name == ${name} && n == ${number})`;
    }),
  );
  return `
#define ${traces[0]?.scenario}
#define FAULTS 2
#define astray 255
#define event(name, n) place = (${isNext.join(" || ")} -> place + 1 : astray)
byte place, which, length;
#include "${join(import.meta.dir, "..", "protocol.pml")}"
never {
  c_code { now.which = atoi(getenv("WHICH")); now.length = atoi(getenv("LENGTH")); };
  do
  :: place < length
  :: place == length -> break
  od
}
`;
}

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
