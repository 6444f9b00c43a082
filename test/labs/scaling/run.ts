import { SQL } from "bun";
import { requestText } from "../../support/raw.ts";
import { startServices } from "../../support/servers/services.ts";
import { startChildServer } from "../bench/load/child-server.ts";
import { cpuNames, cpuTotal, type HttpResult, measure } from "../bench/load/measure.ts";
import { printTable } from "../bench/report.ts";
import { scenarios, sequencesOf } from "../bench/scenarios.ts";
import { ownRoot, type Subject, startSubject } from "../bench/subject.ts";
import { type Demands, demandsOf } from "./demands.ts";
import { type Setup, simulateWrites } from "./writes.ts";

/**
 * `npm run lab -- scaling`: measures creates, compares the model of writes with them, and applies it to larger
 * set-ups.
 */
const seconds = 4;
const connections = [1, 16, 48, 256];
const one = { doors: 1, workers: 1, slotsOfWorker: 2 };

type Measured = HttpResult & Readonly<{ requestsPerBatch: number }>;

const services = await startServices();
const subject = await startSubject(ownRoot, services, { users: 500 });
const generatorUs = 1_000_000 / (await measureCeiling());
const points = new Map<number, Measured>();
for (const count of connections) points.set(count, await measureCreates(subject, count));
await subject.stop();
await services.stop();

const [alone, together] = [pointAt(1), pointAt(48)];
const demands = demandsOf(alone, together);
const fsyncUs = Math.max(0, 1_000 * alone.p50 - cpuTotal(alone.cpu) - generatorUs);
const shared = { cores: navigator.hardwareConcurrency, generatorUs };
printDemands(demands);
printTable([
  ["connections", "requests/s", "predicted", "p50 ms", "predicted", "in a batch", "predicted"],
  ...connections.map((clients) => {
    const seen = pointAt(clients);
    const told = simulateWrites(demands, { ...one, postgresCores: shared.cores, shared, clients, fsyncUs });
    const [batch, toldBatch] = [seen.requestsPerBatch.toFixed(1), told.requestsPerBatch.toFixed(1)];
    return [
      ...[String(clients), seen.perSecond.toFixed(0), told.perSecond.toFixed(0)],
      ...[seen.p50.toFixed(1), told.p50Ms.toFixed(1), batch, toldBatch],
    ];
  }),
]);
const larger: readonly Omit<Setup, "fsyncUs">[] = [
  { ...one, postgresCores: 2, clients: 100 },
  { ...one, doors: 2, workers: 2, postgresCores: 4, clients: 400 },
  { ...one, doors: 4, workers: 3, postgresCores: 4, clients: 800 },
  { ...one, doors: 8, workers: 6, postgresCores: 8, clients: 1_600 },
  { ...one, doors: 24, workers: 18, postgresCores: 24, clients: 4_800 },
];
printTable([
  [
    ...["front doors", "workers", "PostgreSQL's cores", "clients", "requests/s", "p50 ms"],
    ...["use: api", "workers", "Redis", "PostgreSQL"],
  ],
  ...larger.map((setup) => {
    const { perSecond, p50Ms, use } = simulateWrites(demands, { ...setup, fsyncUs });
    const { doors, workers, postgresCores, clients } = setup;
    return [
      ...[doors, workers, postgresCores, clients].map(String),
      ...[perSecond.toFixed(0), p50Ms.toFixed(1)],
      ...[use.api, use.workers, use.redis, use.postgres].map((share) => share.toFixed(2)),
    ];
  }),
]);

function pointAt(count: number): Measured {
  const point = points.get(count);
  if (!point) throw new Error(`Nothing was measured with ${count} connections.`);
  return point;
}

async function measureCreates(own: Subject, count: number): Promise<Measured> {
  const scenario = scenarios.find(({ name }) => name === "create");
  if (!scenario) throw new Error("The bench has no creates.");
  const sequences = sequencesOf(scenario, own);
  const load = { port: own.port, connections: count, sequences };
  await measure({ ...load, warmUpSeconds: 4, seconds: 1 });
  const before = await commitsOf(own.databaseUrl);
  const result = await measure({ ...load, warmUpSeconds: 0, seconds });
  return { ...result, requestsPerBatch: result.requests / ((await commitsOf(own.databaseUrl)) - before) };
}

/** PostgreSQL's statistics arrive within a second. */
async function commitsOf(databaseUrl: string): Promise<number> {
  await Bun.sleep(1_500);
  await using sql = new SQL(databaseUrl, { max: 1 });
  const [row] =
    await sql`select xact_commit::int as count from pg_stat_database where datname = current_database()`;
  return row.count;
}

/** The rate of the load generator against a server with one fixed answer. */
async function measureCeiling(): Promise<number> {
  const { port, stop } = await startChildServer("fixed-page.ts");
  const sequences = [[requestText({ method: "GET", path: "/" })]];
  const { perSecond } = await measure({ port, connections: 48, seconds: 2, warmUpSeconds: 1, sequences });
  stop();
  return perSecond;
}

function printDemands(all: Demands): void {
  printTable([
    ["processor time, µs", ...cpuNames],
    ["of a request", ...cpuNames.map((program) => all[program].request.toFixed(0))],
    ["of a batch", ...cpuNames.map((program) => all[program].batch.toFixed(0))],
  ]);
  console.log(`A commit waits ${(fsyncUs / 1_000).toFixed(2)} ms for the disk and for others.\n`);
}
