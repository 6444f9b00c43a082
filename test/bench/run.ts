import { cpus } from "node:os";
import { join } from "node:path";
import { type Services, startServices } from "../support/services.ts";
import { compare } from "./against.ts";
import { type HttpResult, measure } from "./measure.ts";
import { type Options, readOptions } from "./options.ts";
import { demandPgbench, type PgbenchResult, pgbench } from "./pgbench.ts";
import { printResults } from "./report.ts";
import { type Scenario, sequencesOf } from "./scenarios.ts";
import { checkOut, ownRoot, type Subject, startSubject } from "./subject.ts";

/** After two, the just-in-time compiler still takes a quarter of a worker's time. */
const warmUpSeconds = 5;

export type Result = Readonly<{ scenario: Scenario; http: HttpResult; limitPerSecond: number }>;

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

async function besideLimits({ port, tokens, databaseUrl }: Subject, options: Options): Promise<Result[]> {
  const { seconds, connections, users } = options;
  const load = { connections, warmUpSeconds, seconds };
  const bare = await measureBareServer(load);
  const results: Result[] = [];
  for (const scenario of options.chosen) {
    const script = scenario.script(users);
    const sequences = sequencesOf(scenario, tokens, port);
    const http: HttpResult[] = [];
    const limits: PgbenchResult[] = [];
    for (let round = 0; round < options.rounds; round++) {
      http.push(await measure({ ...load, port, sequences }));
      limits.push(await pgbench({ url: databaseUrl, script, connections, seconds }));
    }
    results.push({ scenario, http: best(http), limitPerSecond: best(limits).perSecond });
  }
  printResults({ commit: await currentCommit(), cores: cpus().length, options, bare, results });
  return results;
}

async function measureBareServer(load: Omit<Parameters<typeof measure>[0], "port" | "sequences">) {
  const listening = Promise.withResolvers<number>();
  const script = join(import.meta.dir, "bare-server.ts");
  const server = Bun.spawn([process.execPath, script], {
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (port: number) => listening.resolve(port),
  });
  const port = await listening.promise;
  const request = `GET / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`;
  const result = await measure({ ...load, port, sequences: [[request]] });
  server.kill();
  return result;
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
