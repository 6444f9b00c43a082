import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { memory } from "../bench/footprint.ts";
import { best, cpuTotal, type HttpResult, measure, programs } from "../bench/load/measure.ts";
import { printTable } from "../bench/report.ts";
import { sequencesOf } from "../bench/scenarios.ts";
import { currentCommit, runLab, wholeNumber } from "../terminal.ts";
import { checkAgreement } from "./agree.ts";
import { questions } from "./contestants.ts";
import { packages, type Running, startAll } from "./start.ts";

const connections = 48;
const warmUpSeconds = 5;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    users: { type: "string", default: "1000" },
  },
});
const seconds = wholeNumber("seconds", values.seconds, 1);
const rounds = wholeNumber("rounds", values.rounds, 1);
const users = wholeNumber("users", values.users, 1);

type Row = Readonly<{ question: string; one: Running; http: HttpResult }>;

/** `npm run lab -- peers [--seconds 5 --rounds 3 --users 1000]`: Kept beside other servers of the same todos. */
async function comparePeers(): Promise<boolean> {
  const { running, stop } = await startAll(users);
  try {
    const idleMb = running.map(memoryMb);
    await checkAgreement(running);
    const rows: Row[] = [];
    for (const question of questions) rows.push(...(await askAll(running, question)));
    await printRates(rows);
    printTable([
      ["server", "MB at rest", "MB after", "against Kept"],
      ...running.map((one, index) => [
        ...[one.name, (idleMb[index] ?? 0).toFixed(0), memoryMb(one).toFixed(0), one.lacks],
      ]),
    ]);
  } finally {
    await stop();
  }
  return true;
}

/** All take turns in each round, so that changes of the machine affect all. */
async function askAll(running: readonly Running[], question: (typeof questions)[number]): Promise<Row[]> {
  const asked = running.flatMap((one) => {
    const requests = one.asks[question];
    return requests ? { one, sequences: sequencesOf({ requests }, one), found: [] as HttpResult[] } : [];
  });
  for (let round = 0; round < rounds; round++)
    for (const { one, sequences, found } of asked)
      found.push(await measure({ port: one.port, connections, seconds, warmUpSeconds, sequences }, one.door));
  return asked.map(({ one, found }) => ({ question, one, http: best(found) }));
}

/** Prints the rates as the Markdown that docs/measurements.md holds. */
async function printRates(rows: readonly Row[]): Promise<void> {
  const [{ model = "unknown" } = {}] = cpus();
  const machine = `${cpus().length} cores (${model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  const day = new Date().toISOString().slice(0, 10);
  console.log(`\n${day}, commit ${await currentCommit()}, ${machine}, Bun ${Bun.version}; ${versions.join(", ")}.
${connections} connections, ${users} users, ${seconds} s each, best of ${rounds}, all in turns. All gave the same answers.\n`);
  printTable([
    ["", "server", "requests/s", "p50 ms", "p99 ms", "CPU µs/request"],
    ...rows.map(({ question, one, http: { perSecond, p50, p99, cpu } }) => {
      // Kept is idle while a peer works.
      const spent = one.server ? cpu.api + cpu.postgres : cpuTotal(cpu);
      const figures = [perSecond.toFixed(0), p50.toFixed(1), p99.toFixed(1), spent.toFixed(0)];
      return [question, one.name, ...figures];
    }),
  ]);
  for (const { question, one, http } of rows)
    for (const [status, answers] of Object.entries(http.statuses))
      if (!status.startsWith("2")) console.log(`${one.name}, ${question}: ${answers} answers were ${status}`);
  console.log("");
}

/** PostgreSQL and the identity provider are not counted. */
function memoryMb({ server, door }: Running): number {
  const { api, workers, redis } = programs;
  const sizes = memory(server ? { door } : { api, workers, redis });
  return Object.values(sizes).reduce((sum, size) => sum + size, 0);
}

await runLab(comparePeers);
