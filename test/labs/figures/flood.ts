import { connectRaw, requestText, toolCallText } from "../../support/raw.ts";
import { measure } from "../bench/load/measure.ts";
import { costlyRequests } from "./costly-rules.ts";
import type { Figure, Row } from "./figure.ts";
import { keepCalling, msAt, type Sample, succeeded, tally } from "./samples.ts";
import { onStage, type Stage } from "./stage.ts";

const seconds = 12;
const allowance = 600;
const limited = { MCP_RATE_LIMIT_PER_MINUTE: String(allowance) };

/** Measures how much one account, or a caller without any, can slow another user's writes. */
export const flood: Figure = async () => [
  ...(await onStage({ env: limited }, refusedCalls)),
  await onStage({}, readiness),
  await onStage({ env: limited }, costlyRules),
];

/** One token exceeds its limit, with the largest possible arguments. */
async function refusedCalls(stage: Stage): Promise<Row[]> {
  const token = await stage.tokenOf("mallory");
  const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(44_000))).toString("base64");
  await useUpAllowance(stage, toolCallText(token, "get-today-habits", {}));
  const sequences = Array.from({ length: 50 }, (_, n) => [
    toolCallText(token, "get-today-habits", { x: noise.slice(n) }),
  ]);
  const before = await logBytes(stage);
  const row = await beside(stage, "one token over its limit with 60 KB of arguments", 20, sequences);
  const perMinute = ((await logBytes(stage)) - before) / 1e6 / (row.elapsedMs / 60_000);
  return [
    row,
    {
      figure: "action log while a token floods",
      goal: "≤ 1 MB a minute",
      measured: `${perMinute.toFixed(1)} MB a minute`,
      ok: perMinute <= 1,
    },
  ];
}

async function useUpAllowance({ baseUrls }: Stage, request: string): Promise<void> {
  const calls = Array.from({ length: 20 }, async () => {
    const connection = await connectRaw(Number(new URL(baseUrls[0] ?? "").port));
    for (let turn = 0; turn <= allowance / 20; turn++) await connection.exchange(request);
    connection.close();
  });
  await Promise.all(calls);
}

const readiness = (stage: Stage): Promise<Row> =>
  beside(stage, "/health/ready flooded", 20, [
    [requestText({ method: "GET", path: "/health/ready", token: "none" })],
  ]);

const costlyRules = async (stage: Stage): Promise<Row> => {
  const { rule, ms, sequences } = await costlyRequests(stage);
  return beside(stage, `50 tokens of one account with ${rule} (${ms.toFixed(0)} ms)`, 50, sequences);
};

const load = ({ baseUrls }: Stage, connections: number) => ({
  port: Number(new URL(baseUrls[0] ?? "").port),
  connections,
  warmUpSeconds: 0.5,
  seconds,
});

/** Another user's writes, idle and beside the flood, which comes from a process of its own. */
async function beside(
  stage: Stage,
  name: string,
  connections: number,
  sequences: string[][],
): Promise<Row & { elapsedMs: number }> {
  const idle = await writeFor(stage, Bun.sleep(2_000));
  const start = performance.now();
  const flooding = measure({ ...load(stage, connections), sequences });
  await Bun.sleep(1_000);
  const during = await writeFor(stage, flooding);
  const elapsedMs = performance.now() - start;
  const { perSecond, statuses } = await flooding;
  const ratio = msAt(during, 0.5) / msAt(idle, 0.5);
  return {
    figure: `flood over ${connections} connections: ${name}`,
    goal: "another's write p50 ≤ 3 × idle",
    measured:
      `${ratio.toFixed(1)} × (${msAt(idle, 0.5).toFixed(1)} → ${msAt(during, 0.5).toFixed(1)} ms; ${tally(during)}; ` +
      `flood ${perSecond.toFixed(0)}/s: ${Object.keys(statuses).join(", ")})`,
    ok: ratio <= 3 && during.every(succeeded),
    elapsedMs,
  };
}

async function writeFor({ call }: Stage, end: Promise<unknown>): Promise<Sample[]> {
  const stop = keepCalling(1, 20, () => call("ada", "POST", "/todos", { body: { title: "Calm" } }));
  await end;
  return await stop();
}

/** The bytes include its indexes and, if it is partitioned, all its partitions. */
async function logBytes({ sql }: Stage): Promise<number> {
  const [row] = await sql`
    select sum(pg_total_relation_size(relid))::float8 as bytes
    from (select relid from pg_partition_tree('action_log') union select 'action_log'::regclass) parts`;
  return row.bytes;
}
