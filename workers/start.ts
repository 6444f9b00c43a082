import { Worker } from "node:worker_threads";
import type { Queue } from "bullmq";
import { Gauge, type Registry } from "prom-client";
import { openDatabase } from "../shared/db/orm.ts";
import { createPostgresCheck } from "../shared/db/schema-guard.ts";
import { checksOf } from "../shared/doctor/checks.ts";
import { examine, states, usesEmbeddedDatabase } from "../shared/doctor/diagnosis.ts";
import type { Config } from "../shared/process/config.ts";
import { workerConnections } from "../shared/process/connections.ts";
import { databaseUrlOf } from "../shared/process/database-roles.ts";
import type { Log } from "../shared/process/observe/log.ts";
import { createExposition, showPools } from "../shared/process/observe/metrics.ts";
import { openTracing } from "../shared/process/observe/open-tracing.ts";
import { createSecurityLog } from "../shared/process/observe/security-log.ts";
import {
  createHealthCheck,
  createStatusPages,
  type FindStatusPage,
} from "../shared/process/observe/status-pages.ts";
import type { Role } from "../shared/process/role.ts";
import { connectBlocking, connectFailFast, workerSilenceMs } from "../shared/queue/connections.ts";
import { commandQueue, deliveryQueue, openQueue } from "../shared/queue/queues.ts";
import { createRedisCheck } from "../shared/queue/redis-check.ts";
import type { SignThreadData } from "./commands/sign-thread.ts";
import { startCommands } from "./commands/worker.ts";
import type { WorkerContext } from "./process/context.ts";
import { createHangWatch, createJobMetrics } from "./process/job-worker.ts";
import { startReminders } from "./reminder/start.ts";
import { startUpkeep } from "./upkeep/upkeep.ts";
import { startWebhooks } from "./webhook/start.ts";

type Options = Readonly<{
  config: Config;
  log: Log;
  /** The time (epoch ms) to which tests travel. In service PostgreSQL's clock decides, never this process's. */
  now?: () => number;
}>;

/** Starts one worker: commands, reminders and upkeep, until it is stopped. */
export async function startWorkers({ config, log, now }: Options): Promise<Role> {
  const exposition = createExposition(config);
  const context: WorkerContext = {
    config,
    log,
    security: createSecurityLog(log, exposition.registry),
    travel: () => (now ? `${now() - Date.now()} milliseconds` : "0"),
    database: await openDatabase({
      url: databaseUrlOf(config, "worker"),
      log,
      purpose: "writes",
      prepare: config.databasePrepare,
      connections: workerConnections(config),
    }),
    publisher: connectFailFast(config.redisUrl),
    blocking: connectBlocking(config.redisUrl, workerSilenceMs),
    registry: exposition.registry,
    jobMetrics: createJobMetrics(exposition.registry),
    tracing: await openTracing("kept-workers", { config, log }),
    watch: createHangWatch(),
  };
  let isStopping = false;
  const { database, publisher } = context;
  showPools(context.registry, { primary: database.pool });
  const queues = openQueues(context);
  showQueues(context.registry, queues);
  showCheckStates(context);
  const statusPages = createStatusPages({
    exposition,
    ready: createHealthCheck({
      postgres: createPostgresCheck(database.pool, log),
      redis: createRedisCheck(publisher, config.queuePrefix, log),
    }),
    isDraining: () => isStopping,
    hanging: context.watch.hanging,
  });
  const upkeep = await startUpkeep(context);
  const statusServer = serveStatus(config, statusPages);
  const parts = [
    upkeep,
    await startCommands(context),
    await startReminders(context),
    await startWebhooks(context),
  ];
  return {
    hanging: context.watch.hanging,
    async stop() {
      isStopping = true;
      await Promise.all(parts.map((part) => part.stop()));
      await statusServer.stop();
      await Promise.all(queues.map((queue) => queue.close()));
      context.publisher.disconnect();
      context.blocking.disconnect();
      await context.database.close();
      await context.tracing?.stop();
    },
  };
}

/** Starts a worker, and a thread that gives signs of life for its process. */
export async function startWorkerProcess(options: Options): Promise<Role> {
  const worker = await startWorkers(options);
  const { redisUrl, queuePrefix } = options.config;
  const workerData: SignThreadData = { redisUrl, queuePrefix };
  const signs = new Worker(new URL("./commands/sign-thread.ts", import.meta.url), { workerData });
  return {
    ...worker,
    async stop() {
      await Promise.all([signs.terminate(), worker.stop()]);
    },
  };
}

/** Every queue that workers take jobs from, to be counted. */
const openQueues = ({ config: { queuePrefix }, publisher: connection }: WorkerContext) =>
  [commandQueue, deliveryQueue].map((queue) => openQueue(queue, { connection, queuePrefix }));

/** Serves health and metrics of a worker on WORKER_PORT; nothing listens when that is 0. */
function serveStatus(
  { host, workerPort: port }: Pick<Config, "host" | "workerPort">,
  findPage: FindStatusPage,
): { stop(): Promise<void> } {
  if (port === 0) return { stop: async () => {} };
  const server = Bun.serve({
    hostname: host ?? "127.0.0.1",
    port,
    fetch(request, server) {
      const page = findPage(request.method, URL.parse(request.url)?.pathname ?? "");
      return (
        page?.(request.headers, () => server.requestIP(request)?.address) ??
        new Response(null, { status: 404 })
      );
    },
  });
  return { stop: () => server.stop(true) };
}

/** A scrape waits no longer than this for Redis, and leaves out unknown numbers. */
const patienceMs = 500;

const jobStates = ["waiting", "active", "failed"] as const;

/** Shows at each scrape the number of jobs in Redis by queue. */
function showQueues(registry: Registry, queues: readonly Pick<Queue, "name" | "getJobCounts">[]): void {
  new Gauge({
    name: "kept_queue_jobs",
    help: "Jobs in the queue, the same at every worker; absent while Redis does not answer",
    labelNames: ["queue", "state"],
    registers: [registry],
    async collect() {
      const asked = queues.map(
        async (queue) => [queue.name, await queue.getJobCounts(...jobStates)] as const,
      );
      const none = () => [];
      const counted = await Promise.race([Promise.all(asked).catch(none), Bun.sleep(patienceMs).then(none)]);
      this.reset();
      for (const [queue, counts] of counted)
        for (const state of jobStates) this.set({ queue, state }, counts[state] ?? 0);
    },
  });
}

const everyMs = 60_000;

/**
 * Shows what `npm run admin -- doctor` finds. A scrape does not wait for the checks: it begins them once a minute, and a
 * later one shows them. Accounts have metrics of their own, because to count them costs more.
 */
function showCheckStates({
  config,
  registry,
  database: { pool },
  publisher: redis,
}: Pick<WorkerContext, "config" | "registry" | "database" | "publisher">): void {
  let beganAt = Number.NEGATIVE_INFINITY;
  const state = new Gauge({
    name: "kept_check_state",
    help: "What npm run admin -- doctor finds: 0 is ok, 1 wants a look, 2 is broken",
    labelNames: ["check"],
    registers: [registry],
    collect() {
      if (performance.now() < beganAt + everyMs) return;
      beganAt = performance.now();
      void look();
    },
  });
  async function look() {
    const isEmbedded = await usesEmbeddedDatabase(config);
    const checks = checksOf({ config, isEmbedded, pool, redis }).filter(({ isCostly }) => !isCostly);
    for (const [check, diagnosis] of await examine(checks))
      state.set({ check }, states.indexOf(diagnosis.state));
  }
}
