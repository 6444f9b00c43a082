import { cpus, totalmem } from "node:os";
import { type Services, startServices } from "../../support/servers/services.ts";
import { compare } from "./against.ts";
import { startBuiltIn } from "./built-in.ts";
import { bytesPerWrite, memory, printFootprint } from "./footprint.ts";
import { reportGoals } from "./goals.ts";
import { startChildServer } from "./load/child-server.ts";
import { best, type HttpResult, measure } from "./load/measure.ts";
import { measureLoneWrites } from "./lone-write.ts";
import { type Options, readOptions, runsOf } from "./options.ts";
import { demandPgbench, type PgbenchResult, pgbench } from "./pgbench.ts";
import { printLoneWrites, printResults } from "./report.ts";
import { type Scenario, sequencesOf } from "./scenarios.ts";
import { checkOut, ownRoot, type Subject, startSubject } from "./subject.ts";

/** After two seconds the just-in-time compiler still takes a quarter of a worker's time. */
const warmUpSeconds = 5;

export type Result = Readonly<{
  scenario: Scenario;
  connections: number;
  http: HttpResult;
  /** The rates of pgbench and the bare server. */
  limitPerSecond: number | undefined;
  barePerSecond: number | undefined;
}>;

/** `npm run bench [-- --seconds 5 --only create]`: the real service beside its limits, on the same servers. */
async function bench(options: Options): Promise<void> {
  demandPgbench();
  const figures = await (options.builtIn ? measureBuiltIn(options) : measureRoles(options));
  if (options.json) console.log(JSON.stringify(figures));
}

async function measureBuiltIn(options: Options): Promise<object> {
  const own = await startBuiltIn(options.users);
  try {
    return await besideLimits(own, options);
  } finally {
    await own.stop();
  }
}

async function measureRoles(options: Options): Promise<object> {
  const { against, doubled, rows, users } = options;
  const services = await startServices(rows === undefined ? {} : memoryForManyRows());
  const own = await startSubject(ownRoot, services, rows === undefined ? { users } : populationOf(rows));
  const figures =
    rows !== undefined
      ? await compareWithFewRows(own, services, options)
      : against !== undefined
        ? await compareWith(against, own, services, options)
        : doubled
          ? await compareDoubled(own, services, options)
          : await besideLimits(own, options);
  await own.stop();
  await services.stop();
  return figures;
}

/** A quarter of the machine's memory, as PostgreSQL's documentation advises for a server of its own. */
const memoryForManyRows = () => ({ shared_buffers: `${Math.floor(totalmem() / 4 / 2 ** 20)}MB` });

const populationOf = (rows: number) => ({ users: Math.ceil(rows / todosOfEach), todosPerUser: todosOfEach });
const todosOfEach = 100;
const fewRows = 100_000;

async function compareWithFewRows(own: Subject, services: Services, options: Options) {
  const other = await startSubject(ownRoot, services, populationOf(fewRows));
  console.log(`${await currentCommit()} with ${options.rows} todos compared with ${fewRows}\n`);
  const rows = await compare(own, other, options);
  await other.stop();
  return rows;
}

async function compareDoubled(own: Subject, services: Services, options: Options) {
  const doubled = await startSubject(ownRoot, services, { users: options.users, processesOfEach: 2 });
  console.log(`two front doors and two workers compared with one of each, ${options.rounds} turns\n`);
  const rows = await compare(doubled, own, options);
  await doubled.stop();
  return rows;
}

async function compareWith(commit: string, own: Subject, services: Services, options: Options) {
  const tree = await checkOut(commit);
  try {
    const other = await startSubject(tree.root, services, { users: options.users });
    console.log(`${await currentCommit()} compared with ${commit}, ${options.rounds} turns\n`);
    const rows = await compare(own, other, options);
    await other.stop();
    return rows;
  } finally {
    await tree.remove();
  }
}

async function besideLimits(own: Subject, options: Options): Promise<object> {
  const idleMb = memory();
  const ceilings = await measureCeilings(options);
  const bare = own.issuerUrl ? await startBareServer(own.databaseUrl, own.issuerUrl) : undefined;
  const results: Result[] = [];
  for (const { scenario, connections } of runsOf(options)) {
    const load = { connections, seconds: options.seconds, warmUpSeconds };
    const measureAt = (port: number) =>
      measure({ ...load, port, sequences: sequencesOf(scenario, own, port) });
    const script = scenario.limit?.script(options.users);
    const rounds: Round[] = [];
    for (let round = 0; round < options.rounds; round++)
      rounds.push({
        http: await measureAt(own.port),
        bare: bare && scenario.isBare ? await measureAt(bare.port) : undefined,
        limit: script ? await pgbench({ ...load, url: own.databaseUrl, script }) : undefined,
      });
    results.push(resultOf(scenario, connections, rounds));
  }
  bare?.stop();
  const afterMb = memory();
  const footprint = { written: await bytesPerWrite(own, options.chosen), idleMb, afterMb };
  const loneWrites = await measureLoneWrites(own, results);
  printResults({ commit: await currentCommit(), cores: cpus().length, options, ceilings, results });
  printLoneWrites(loneWrites);
  printFootprint(footprint);
  reportGoals({
    results,
    loneWrites,
    written: footprint.written,
    ...(options.builtIn && { idleMb, afterMb }),
  });
  return { results, loneWrites, ...footprint };
}

/** The rate of the load generator if an answer costs nothing. */
async function measureCeilings({ connections, seconds }: Options): Promise<HttpResult[]> {
  const { port, stop } = await startChildServer("fixed-page.ts");
  const sequences = [[`GET / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`]];
  const ceilings: HttpResult[] = [];
  for (const count of connections)
    ceilings.push(await measure({ port, connections: count, seconds, warmUpSeconds: 1, sequences }));
  stop();
  return ceilings;
}

const startBareServer = (databaseUrl: string, issuerUrl: string) =>
  startChildServer("bare-server.ts", { DATABASE_URL: databaseUrl, AUTH_URL: issuerUrl });

type Round = Readonly<{
  http: HttpResult;
  bare: HttpResult | undefined;
  limit: PgbenchResult | undefined;
}>;

/** The best round of each side, because a busy machine only takes away. */
function resultOf(scenario: Scenario, connections: number, rounds: readonly Round[]): Result {
  const most = (figures: readonly (number | undefined)[]) => {
    const known = figures.filter((figure) => figure !== undefined);
    return known.length > 0 ? Math.max(...known) : undefined;
  };
  return {
    scenario,
    connections,
    http: best(rounds.map(({ http }) => http)),
    limitPerSecond: most(rounds.map(({ limit }) => limit?.perSecond)),
    barePerSecond: most(rounds.map(({ bare }) => bare?.perSecond)),
  };
}

async function currentCommit(): Promise<string> {
  const { stdout } = await Bun.$`git describe --always --dirty`.quiet().nothrow();
  return stdout.toString().trim() || "unknown";
}

// The started processes end with this one.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
await bench(readOptions(process.argv.slice(2))).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
process.exit();
