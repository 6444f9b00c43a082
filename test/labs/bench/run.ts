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

async function measureRoles(options: Options): Promise<object> {
  const services = await startServices();
  const own = await startSubject(ownRoot, services, options);
  const figures = options.against
    ? await compareWith(options.against, own, services, options)
    : await besideLimits(own, options);
  await own.stop();
  await services.stop();
  return figures;
}

async function compareWith(commit: string, own: Subject, services: Services, options: Options) {
  const { root, remove } = await checkOut(commit);
  try {
    const other = await startSubject(root, services, options);
    console.log(`${await currentCommit()} compared with ${commit}, ${options.rounds} turns\n`);
    return await compare(own, other, options).finally(other.stop);
  } finally {
    await remove();
  }
}

async function besideLimits(own: Subject, options: Options): Promise<object> {
  const { users, chosen, seconds, rounds, builtIn } = options;
  const idleMb = memory();
  const bare = own.issuerUrl ? await startBareServer(own.databaseUrl, own.issuerUrl) : undefined;
  const results: Result[] = [];
  for (const { scenario, connections } of runsOf(options)) {
    const load = { connections, seconds, warmUpSeconds };
    const sequences = sequencesOf(scenario, own);
    const measureAt = (port: number) => measure({ ...load, port, sequences });
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
