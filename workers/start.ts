import { Worker } from "node:worker_threads";
import { openDatabase } from "../shared/db/orm.ts";
import { showPools } from "../shared/db/pool-metrics.ts";
import { createPostgresCheck } from "../shared/db/schema-guard.ts";
import type { Config } from "../shared/process/config.ts";
import { workerConnections } from "../shared/process/connections.ts";
import { databaseUrlOf } from "../shared/process/database-roles.ts";
import { createHealthCheck } from "../shared/process/observe/health.ts";
import type { Log } from "../shared/process/observe/log.ts";
import { createExposition } from "../shared/process/observe/metrics.ts";
import { openTracing } from "../shared/process/observe/open-tracing.ts";
import { createSecurityLog } from "../shared/process/observe/security-log.ts";
import { createStatusPages } from "../shared/process/observe/status-pages.ts";
import type { Role } from "../shared/process/role.ts";
import { connectBlocking, connectFailFast, workerSilenceMs } from "../shared/queue/connections.ts";
import { commandQueue, deliveryQueue, openQueue } from "../shared/queue/queues.ts";
import { showQueues } from "./commands/queue-metrics.ts";
import type { SignThreadData } from "./commands/sign-thread.ts";
import { startCommands } from "./commands/worker.ts";
import type { WorkerContext } from "./process/context.ts";
import { createHangWatch } from "./process/hang-watch.ts";
import { createJobMetrics } from "./process/job-worker.ts";
import { serveStatus } from "./process/status-server.ts";
import { startReminders } from "./reminder/start.ts";
import { showCheckStates } from "./upkeep/check-states.ts";
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
      redis: () => publisher.ping(),
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
