import { parseArgs } from "node:util";
import { memory } from "../bench/footprint.ts";
import { best, measure, programs } from "../bench/load/measure.ts";
import { sequencesOf } from "../bench/scenarios.ts";
import { checkAgreement } from "./agree.ts";
import { type Question, questions } from "./contestant.ts";
import { printReport, type Row } from "./report.ts";
import { type Running, startAll } from "./start.ts";

const connections = 48;
const warmUpSeconds = 5;

type Options = Readonly<{ seconds: number; rounds: number; users: number }>;

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "5" },
      rounds: { type: "string", default: "3" },
      users: { type: "string", default: "1000" },
    },
  });
  return { seconds: Number(values.seconds), rounds: Number(values.rounds), users: Number(values.users) };
}

/** `npm run lab -- peers [--seconds 5 --rounds 3 --users 1000]`: Kept beside other servers of the same todos. */
async function run(options: Options): Promise<void> {
  const { running, stop } = await startAll(options.users);
  try {
    const idleMb = running.map(memoryMb);
    await checkAgreement(running);
    const rows: Row[] = [];
    for (const question of questions) rows.push(...(await askAll(running, question, options)));
    await printReport({ ...options, connections, running, rows, idleMb, afterMb: running.map(memoryMb) });
  } finally {
    await stop();
  }
}

/** All take turns in each round, so that changes of the machine affect all. */
async function askAll(
  running: readonly Running[],
  question: Question,
  { seconds, rounds }: Options,
): Promise<Row[]> {
  const asked = running.flatMap((one) => {
    const requests = one.asks[question];
    return requests ? { one, sequences: sequencesOf({ requests }, one, one.port) } : [];
  });
  const results = new Map(asked.map(({ one }) => [one, [] as Row["http"][]]));
  for (let round = 0; round < rounds; round++)
    for (const { one, sequences } of asked) {
      const load = { port: one.port, connections, seconds, warmUpSeconds, sequences };
      results.get(one)?.push(await measure(load, one.door));
    }
  return [...results].map(([{ name, server }, found]) => ({
    question,
    name,
    isOurs: !server,
    http: best(found),
  }));
}

/** PostgreSQL and the identity provider are not counted. */
function memoryMb({ server, door }: Running): number {
  const { api, workers, redis } = programs;
  const sizes = memory(server ? { door } : { api, workers, redis });
  return Object.values(sizes).reduce((sum, size) => sum + size, 0);
}

// The started processes end with this one.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
await run(readOptions()).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
process.exit();
