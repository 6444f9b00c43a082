import type { Answer } from "../../harness.ts";
import { descendants } from "../../support/chaos/descendants.ts";
import { pidsOf } from "../../support/chaos/roles.ts";
import { percentile } from "../../support/flood.ts";
import type { Figure } from "./figure.ts";
import { type Sample, sample, succeeded } from "./samples.ts";
import { onStage, type Stage } from "./stage.ts";

type Victim = Readonly<{ name: string; goalMs: number; pids(): number[] }>;

const commandPids = (command: RegExp) => (): number[] =>
  descendants().flatMap((process) => (command.test(process.command) ? [process.pid] : []));

export const redisPids = commandPids(/^\S*(redis|valkey)-server/);

const victims: readonly Victim[] = [
  { name: "front door", goalMs: 600, pids: () => pidsOf("api") },
  { name: "worker", goalMs: 500, pids: () => pidsOf("workers") },
  { name: "Redis", goalMs: 200, pids: redisPids },
  { name: "PostgreSQL", goalMs: 400, pids: commandPids(/^\S*\/postgres -D/) },
];

const rounds = 3;
/** A supervisor waits longer each time if a process dies again within 10 s. */
const apartMs = 10_500;

/** The time for which writes and reads fail after a kill -9, under the supervisor of `npm start`. */
export const back: Figure = () =>
  onStage({ apis: 1, workers: 1 }, async (stage) => {
    const outages = new Map<Victim, number[]>(victims.map((victim) => [victim, []]));
    for (let round = 0; round < rounds; round++) {
      const start = performance.now();
      for (const victim of victims) outages.get(victim)?.push(await outage(stage, victim));
      if (round < rounds - 1) await Bun.sleep(Math.max(0, apartMs - (performance.now() - start)));
    }
    return [...outages].map(([{ name, goalMs }, all]) => {
      const middle = percentile(all, 0.5);
      return {
        figure: `back after kill -9: ${name}`,
        goal: `≤ ${goalMs / 1_000} s`,
        measured: `${seconds(middle)} (${all.map(seconds).join(", ")})`,
        ok: middle <= goalMs,
      };
    });
  });

const seconds = (ms: number): string =>
  Number.isFinite(ms) ? `${(ms / 1_000).toFixed(2)} s` : `not within ${giveUpMs / 1_000} s`;

const steadyMs = 1_500;
const giveUpMs = 15_000;

/** Milliseconds from the kill to the first success after which every call succeeds. */
async function outage({ call }: Stage, { pids }: Victim): Promise<number> {
  for (const pid of pids()) process.kill(pid, "SIGKILL");
  const ends = await Promise.all([
    firstLastingSuccess(() => call("user", "POST", "/todos", { body: { title: "Back" } })),
    firstLastingSuccess(() => call("user", "GET", "/todos")),
  ]);
  return Math.max(...ends);
}

/** Calls every 20 ms until nothing has failed for a while. */
async function firstLastingSuccess(probe: () => Promise<Answer>): Promise<number> {
  const start = performance.now();
  const probes: Promise<unknown>[] = [];
  let lastFailure: Sample | undefined;
  const successes: Sample[] = [];
  const look = async () => {
    const one = await sample(probe);
    if (succeeded(one)) successes.push(one);
    else if (one.startedAt > (lastFailure?.startedAt ?? 0)) lastFailure = one;
  };
  const since = () => performance.now() - (lastFailure?.startedAt ?? start);
  while (since() < steadyMs && performance.now() - start < giveUpMs) {
    probes.push(look());
    await Bun.sleep(20);
  }
  await Promise.all(probes);
  const lasting = successes.filter(({ startedAt }) => startedAt > (lastFailure?.startedAt ?? 0));
  return Math.min(...lasting.map(({ startedAt, ms }) => startedAt + ms)) - start;
}
