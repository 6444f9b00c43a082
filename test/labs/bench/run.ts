import { totalmem } from "node:os";
import { type Services, startServices } from "../../support/servers/services.ts";
import { currentCommit, runLab } from "../terminal.ts";
import { compare } from "./against.ts";
import { startBuiltIn } from "./built-in.ts";
import { bytesPerWrite, memory, printFootprint } from "./footprint.ts";
import { reportGoals } from "./goals.ts";
import { startChildServer } from "./load/child-server.ts";
import { best, measure } from "./load/measure.ts";
import { measureLoneWrites } from "./lone-write.ts";
import { type Options, readOptions, runsOf } from "./options.ts";
import { demandPgbench, pgbench } from "./pgbench.ts";
import { printLoneWrites, printResults, type Result } from "./report.ts";
import { sequencesOf } from "./scenarios.ts";
import { checkOut, ownRoot, type Subject, startSubject } from "./subject.ts";

/** After two seconds the just-in-time compiler still takes a quarter of a worker's time. */
const warmUpSeconds = 5;

/** `npm run bench [-- --seconds 5 --only create]`: the real service beside its limits, on the same servers. */
async function bench(options: Options): Promise<boolean> {
  demandPgbench();
  const figures = await (options.builtIn ? measureBuiltIn(options) : measureRoles(options));
  if (options.json) console.log(JSON.stringify(figures));
  return true;
}

async function measureBuiltIn(options: Options): Promise<object> {
  const own = await startBuiltIn(options.users);
  return besideLimits(own, options).finally(own.stop);
}

const todosOfEach = 100;
const fewRows = 100_000;
const populationOf = (rows: number) => ({ users: Math.ceil(rows / todosOfEach), todosPerUser: todosOfEach });

async function measureRoles(options: Options): Promise<object> {
  const { doubled, rows, users } = options;
  // A quarter of the machine's memory, as PostgreSQL's documentation advises for a server of its own.
  const shared_buffers = `${Math.floor(totalmem() / 4 / 2 ** 20)}MB`;
  const services = await startServices(rows === undefined ? {} : { shared_buffers });
  const usual = { users, processesOfEach: doubled ? 2 : 1 };
  const own = await startSubject(ownRoot, services, rows === undefined ? usual : populationOf(rows));
  const other = await startOther(services, options);
  if (other) console.log(`${await currentCommit()}: ${other.says}, ${options.rounds} turns\n`);
  const figures = await (other ? compare(own, other.subject, options) : besideLimits(own, options));
  await other?.subject.stop();
  await other?.remove?.();
  await own.stop();
  await services.stop();
  return figures;
}

type Other = Readonly<{ says: string; subject: Subject; remove?: () => Promise<void> }>;

/** The subject to compare with, if any. */
async function startOther(services: Services, options: Options): Promise<Other | undefined> {
  const { against, doubled, rows, users } = options;
  const start = (root: string, population: Parameters<typeof startSubject>[2]) =>
    startSubject(root, services, population);
  if (rows !== undefined)
    return {
      says: `${rows} todos compared with ${fewRows}`,
      subject: await start(ownRoot, populationOf(fewRows)),
    };
  if (against !== undefined) {
    const { root, remove } = await checkOut(against);
    return { says: `compared with ${against}`, subject: await start(root, { users }), remove };
  }
  if (!doubled) return undefined;
  const says = "two front doors and two workers compared with one of each";
  return { says, subject: await start(ownRoot, { users }) };
}

async function besideLimits(own: Subject, options: Options): Promise<object> {
  const { users, chosen, seconds, rounds, builtIn } = options;
  const idleMb = memory();
  const bare = own.issuerUrl ? await startBareServer(own.databaseUrl, own.issuerUrl) : undefined;
  const results: Result[] = [];
  for (const { scenario, connections } of runsOf(options)) {
    const load = { connections, seconds, warmUpSeconds };
    const measureAt = (port: number) =>
      measure({ ...load, port, sequences: sequencesOf(scenario, own, port) });
    const script = scenario.limit?.script(users);
    const [https, bares, limits] = [[await measureAt(own.port)], [] as number[], [] as number[]];
    for (let round = 0; round < rounds; round++) {
      if (round > 0) https.push(await measureAt(own.port));
      if (bare && scenario.isBare) bares.push((await measureAt(bare.port)).perSecond);
      if (script) limits.push(await pgbench({ ...load, url: own.databaseUrl, script }));
    }
    // The best round of each side, because a busy machine only takes away.
    const most = (rates: readonly number[]) => (rates.length > 0 ? Math.max(...rates) : undefined);
    const [limitPerSecond, barePerSecond] = [most(limits), most(bares)];
    results.push({ scenario, connections, http: best(https), limitPerSecond, barePerSecond });
  }
  bare?.stop();
  const afterMb = memory();
  const footprint = { written: await bytesPerWrite(own, chosen), idleMb, afterMb };
  const loneWrites = await measureLoneWrites(own, results);
  await printResults(options, results);
  printLoneWrites(loneWrites);
  printFootprint(footprint);
  const { written } = footprint;
  reportGoals({ results, loneWrites, written, ...(builtIn && { idleMb, afterMb }) });
  return { results, loneWrites, ...footprint };
}

const startBareServer = (databaseUrl: string, issuerUrl: string) =>
  startChildServer("bare-server.ts", { DATABASE_URL: databaseUrl, AUTH_URL: issuerUrl });

await runLab(() => bench(readOptions()));
