import { cpus } from "node:os";
import { type Services, startServices } from "../support/services.ts";
import { compare } from "./against.ts";
import { startChildServer } from "./child-server.ts";
import { leftPerWrite, memory, printStored } from "./footprint.ts";
import { type HttpResult, measure } from "./measure.ts";
import { type Options, readOptions } from "./options.ts";
import { demandPgbench, type PgbenchResult, pgbench } from "./pgbench.ts";
import { printResults } from "./report.ts";
import { type Scenario, sequencesOf } from "./scenarios.ts";
import { checkOut, ownRoot, type Subject, startSubject } from "./subject.ts";

/** After two seconds the just-in-time compiler still takes a quarter of a worker's time. */
const warmUpSeconds = 5;

export type Result = Readonly<{
  scenario: Scenario;
  http: HttpResult;
  /** What pgbench and the bare server reached. */
  limitPerSecond: number | undefined;
  barePerSecond: number | undefined;
}>;

/** `npm run bench [-- --seconds 5 --only create]`: the real service beside its limits, on the same servers. */
async function bench(options: Options): Promise<void> {
  demandPgbench();
  const services = await startServices();
  const own = await startSubject(ownRoot, services, options.users);
  const results = options.against
    ? await compareWith(options.against, own, services, options)
    : await besideLimits(own, options);
  if (options.json) console.log(JSON.stringify(results));
  await own.stop();
  await services.stop();
}

async function compareWith(commit: string, own: Subject, services: Services, options: Options) {
  const tree = await checkOut(commit);
  try {
    const other = await startSubject(tree.root, services, options.users);
    console.log(`${await currentCommit()} compared with ${commit}, ${options.rounds} turns\n`);
    const rows = await compare(own, other, options);
    await other.stop();
    return rows;
  } finally {
    await tree.remove();
  }
}

async function besideLimits(own: Subject, options: Options): Promise<Result[]> {
  const { seconds, connections, users } = options;
  const load = { connections, warmUpSeconds, seconds };
  const idleMb = memory();
  const fixed = await startChildServer("fixed-page.ts");
  const request = `GET / HTTP/1.1\r\nhost: 127.0.0.1:${fixed.port}\r\n\r\n`;
  const ceiling = await measure({ ...load, port: fixed.port, sequences: [[request]] });
  fixed.stop();
  const bare = await startChildServer("bare-server.ts", {
    DATABASE_URL: own.databaseUrl,
    AUTH_URL: own.issuerUrl,
  });
  const results: Result[] = [];
  for (const scenario of options.chosen) {
    const rounds: Round[] = [];
    for (let round = 0; round < options.rounds; round++) {
      const measureAt = (port: number) =>
        measure({ ...load, port, sequences: sequencesOf(scenario, own.tokens, port) });
      const script = scenario.limit?.script(users);
      rounds.push({
        http: await measureAt(own.port),
        bare: scenario.isBare ? await measureAt(bare.port) : undefined,
        limit: script ? await pgbench({ url: own.databaseUrl, script, connections, seconds }) : undefined,
      });
    }
    results.push(resultOf(scenario, rounds));
  }
  bare.stop();
  const left = await leftPerWrite(own, results);
  printResults({ commit: await currentCommit(), cores: cpus().length, options, ceiling, results });
  printStored({ left, idleMb, afterMb: memory() });
  return results;
}

type Round = Readonly<{
  http: HttpResult;
  bare: HttpResult | undefined;
  limit: PgbenchResult | undefined;
}>;

/** The best of the rounds on either side: a busy machine only ever takes away. */
function resultOf(scenario: Scenario, rounds: readonly Round[]): Result {
  const most = (figures: readonly (number | undefined)[]) => {
    const known = figures.filter((figure) => figure !== undefined);
    return known.length > 0 ? Math.max(...known) : undefined;
  };
  return {
    scenario,
    http: best(rounds.map(({ http }) => http)),
    limitPerSecond: most(rounds.map(({ limit }) => limit?.perSecond)),
    barePerSecond: most(rounds.map(({ bare }) => bare?.perSecond)),
  };
}

function best<Round extends { perSecond: number }>(rounds: readonly Round[]): Round {
  return rounds.reduce((one, other) => (other.perSecond > one.perSecond ? other : one));
}

async function currentCommit(): Promise<string> {
  const { stdout } = await Bun.$`git describe --always --dirty`.quiet().nothrow();
  return stdout.toString().trim() || "unknown";
}

await bench(readOptions(process.argv.slice(2))).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
process.exit();
