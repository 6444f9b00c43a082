import { rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { runningDatabase } from "../../../shared/process/running-database.ts";
import { startCommand } from "../../service/embedded/instance.ts";
import { type Services, startServices } from "../../support/servers/services.ts";
import { currentCommit, runLab } from "../terminal.ts";
import { compare } from "./against.ts";
import { bytesPerWrite, memory, printFootprint } from "./footprint.ts";
import { reportGoals } from "./goals.ts";
import { startChildServer } from "./load/child-server.ts";
import { best, measure } from "./load/measure.ts";
import { measureLoneWrites } from "./lone-write.ts";
import { type Options, readOptions, runsOf } from "./options.ts";
import { demandPgbench, pgbench } from "./pgbench.ts";
import { printLoneWrites, printResults, type Result } from "./report.ts";
import { sequencesOf } from "./scenarios.ts";
import { seed, userAt } from "./seed.ts";
import { checkOut, ownRoot, type Subject, startSubject } from "./subject.ts";

/** Starts what users have after `npm start`: servers of its own, and opaque tokens. */
async function startBuiltIn(users: number, workers: number): Promise<Subject> {
  const port = await freePort();
  const dataDir = join(ownRoot, `data-test-bench-${process.pid}`);
  const env = {
    HOST: "127.0.0.1",
    RATE_LIMIT_PER_MINUTE: "1000000000",
    MCP_RATE_LIMIT_PER_MINUTE: "1000000000",
    WORKERS: String(workers),
  };
  const npm = startCommand({ dataDir, port, env }, ["npm", "start"], { cwd: ownRoot });
  process.on("exit", () => npm.end("SIGTERM"));
  await npm.printed("Ready in");
  const databaseUrl = await runningDatabase({ databaseUrl: undefined, dataDir });
  await seed(databaseUrl, users);
  const tokens = await issueTokens(databaseUrl, users);
  return {
    ...{ databaseUrl, port, issuerUrl: undefined },
    callers: tokens.map((token, index) => ({ index, token })),
    async stop() {
      await npm.end("SIGTERM");
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Gives each user an account and a token like the owner's. Real sign-ups would take minutes of hashing. */
async function issueTokens(databaseUrl: string, users: number): Promise<string[]> {
  const tokens = Array.from({ length: users }, () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url"),
  );
  const made = JSON.stringify(tokens.map((token, index) => ({ account: userAt(index), token })));
  await using sql = new SQL(databaseUrl, { max: 1 });
  await sql`insert into identity.accounts (id, email, password_hash)
    select m.account, m.account || '@example.org', '' from json_to_recordset(${made}::text::json) m(account text, token text)`;
  await sql`insert into identity.grants (id, account_id, client_id, name, payload, expires_at)
    select 'grant-' || m.account, m.account, g.client_id, g.name,
      g.payload || jsonb_build_object('accountId', m.account), g.expires_at
    from identity.grants g, json_to_recordset(${made}::text::json) m(account text, token text)`;
  await sql`insert into identity.artifacts (kind, id_hash, payload, account_id, grant_id, expires_at)
    select a.kind, sha256(convert_to(m.token, 'UTF8')),
      (a.payload::jsonb || jsonb_build_object('accountId', m.account, 'grantId', 'grant-' || m.account))::json,
      m.account, 'grant-' || m.account, a.expires_at
    from identity.artifacts a, json_to_recordset(${made}::text::json) m(account text, token text)
    where a.kind = 'AccessToken'`;
  return tokens;
}

/** After two seconds the just-in-time compiler still takes a quarter of a worker's time. */
const warmUpSeconds = 5;

/** `npm run bench [-- --seconds 5 --only create]`: the real service beside its limits, on the same servers. */
async function bench(options: Options): Promise<boolean> {
  demandPgbench();
  const figures = await (options.builtIn ? measureBuiltIn(options) : measureRoles(options));
  if (options.json) console.log(JSON.stringify(figures));
  return true;
}

/** Measures one process, and then a front door with a worker beside it. */
async function measureBuiltIn(options: Options): Promise<object> {
  const figures: object[] = [];
  for (const workers of [0, 1]) {
    console.log(`\n${workers === 0 ? "One process" : "Front door and worker"}\n`);
    const own = await startBuiltIn(options.users, workers);
    figures.push(await besideLimits(own, options).finally(own.stop));
  }
  return figures;
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
