import { rmSync } from "node:fs";
import { join } from "node:path";
import { lanePrefixes } from "../../shared/queue/lanes.ts";
import { descendants } from "../support/chaos/descendants.ts";
import { startCluster } from "../support/servers/redis-cluster.ts";
import { startServices } from "../support/servers/services.ts";
import { measure } from "./bench/load/measure.ts";
import { printTable } from "./bench/report.ts";
import { scenarios, sequencesOf } from "./bench/scenarios.ts";
import { ownRoot, startSubject } from "./bench/subject.ts";

/**
 * `npm run lab -- lanes`: creates over 1, 2 and 4 lanes on a Redis Cluster of three masters, with the load of each
 * master.
 */
const seconds = 5;
const folder = join(ownRoot, `data-bench-lanes-${process.pid}`);
const [services, cluster] = [await startServices(), await startCluster(folder)];
const rows: string[][] = [];
for (const lanes of [1, 2, 4]) rows.push(await measureLanes(lanes));
printTable([
  [
    "lanes",
    "lanes of each master",
    "requests/s",
    "p50 ms",
    "µs of api",
    "of workers",
    "of each master",
    "of PostgreSQL",
  ],
  ...rows,
]);
for (const node of cluster.nodes) await node.kill();
await services.stop();
rmSync(folder, { recursive: true, force: true });

async function measureLanes(lanes: number): Promise<string[]> {
  process.env.QUEUE_LANES = String(lanes);
  const subject = await startSubject(ownRoot, { ...services, redisUrl: cluster.url }, { users: 500 });
  const scenario = scenarios.find(({ name }) => name === "create");
  if (!scenario) throw new Error("The bench has no creates.");
  const load = {
    port: subject.port,
    connections: 48,
    sequences: sequencesOf(scenario, subject, subject.port),
  };
  await measure({ ...load, warmUpSeconds: 4, seconds: 1 });
  const before = busyMasters();
  const { perSecond, p50, cpu, requests } = await measure({ ...load, warmUpSeconds: 0, seconds });
  const busy = busyMasters().map((ms, index) => ((ms - (before[index] ?? 0)) * 1_000) / requests);
  const owners = await Promise.all(
    lanePrefixes({ queuePrefix: subject.queuePrefix, queueLanes: lanes }).map((prefix) =>
      cluster.ownerOf(`{${prefix}}`),
    ),
  );
  await subject.stop();
  return [
    String(lanes),
    cluster.masters.map((_, index) => owners.filter((owner) => owner === index).length).join(" + "),
    perSecond.toFixed(0),
    p50.toFixed(1),
    cpu.api.toFixed(0),
    cpu.workers.toFixed(0),
    busy.map((us) => us.toFixed(0)).join(" + "),
    cpu.postgres.toFixed(0),
  ];
}

/** The processor time of each master so far (ms). */
function busyMasters(): number[] {
  const running = descendants();
  return cluster.masters.map(
    ({ port }) => running.find(({ command }) => command.includes(`:${port}`))?.cpuMs ?? 0,
  );
}
