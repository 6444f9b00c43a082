import { openGate } from "../../support/chaos/gate.ts";
import { services } from "../../support/servers/services.ts";
import { redisPids } from "./back.ts";
import type { Figure, Row } from "./figure.ts";
import { keepCalling, msAt, type Sample, succeeded, tally, times } from "./samples.ts";
import { onStage, type Stage } from "./stage.ts";

/** Writes and reads while Redis is shut, then while it is frozen. */
export const away: Figure = async ({ outageSeconds }) => {
  const gate = await openGate((await services()).redisUrl);
  // Nobody reaches this limit. Without a limit, reads would not ask Redis.
  const env = { REDIS_URL: gate.url, RATE_LIMIT_PER_MINUTE: "1000000" };
  return await onStage({ env }, async (stage) => {
    gate.shut();
    const shut = await callDuring(stage, outageSeconds);
    gate.open();
    await Bun.sleep(2_000);
    for (const pid of redisPids()) process.kill(pid, "SIGSTOP");
    const frozen = await callDuring(stage, outageSeconds);
    for (const pid of redisPids()) process.kill(pid, "SIGCONT");
    return [...rowsOf("away", 100, shut), ...rowsOf("frozen", 2_000, frozen)];
  }).finally(gate.shut);
};

type Calls = Readonly<{ writes: Sample[]; reads: Sample[] }>;

async function callDuring({ call }: Stage, seconds: number): Promise<Calls> {
  const stopWrites = keepCalling(4, 100, (client) =>
    call(`user ${client}`, "POST", "/todos", { body: { title: "Refused" } }),
  );
  const stopReads = keepCalling(8, 50, (client) => call(`user ${client}`, "GET", "/todos"));
  await Bun.sleep(seconds * 1_000);
  const [writes, reads] = await Promise.all([stopWrites(), stopReads()]);
  return { writes, reads };
}

const rowsOf = (how: string, goalMs: number, { writes, reads }: Calls): Row[] => [
  {
    figure: `Redis ${how}: writes`,
    goal: `503 within ${goalMs} ms (p99)`,
    measured: `${tally(writes)}; ${times(writes)}, max ${msAt(writes, 1).toFixed(0)} ms`,
    ok: writes.every(({ outcome }) => outcome.startsWith("503")) && msAt(writes, 0.99) <= goalMs,
  },
  {
    figure: `Redis ${how}: reads`,
    goal: "100 % 2xx",
    measured: `${tally(reads)}; ${times(reads)}`,
    ok: reads.every(succeeded),
  },
];
