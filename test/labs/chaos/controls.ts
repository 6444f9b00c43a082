import { Registry } from "prom-client";
import { createLog } from "../../../shared/process/observe/log.ts";
import { batchVersion, type CommandBatch, type Replies, type Reply } from "../../../shared/queue/batch.ts";
import { connectBlocking, connectFailFast, workerSilenceMs } from "../../../shared/queue/connections.ts";
import { commandQueue } from "../../../shared/queue/queues.ts";
import { createHangWatch } from "../../../workers/process/hang-watch.ts";
import { createJobMetrics, openWorker } from "../../../workers/process/job-worker.ts";
import { signerOf } from "../../support/signed.ts";
import { signal, type World } from "./world/world.ts";

/** Deliberate faults. A run that does not find them proves nothing. */
export const controlNames = ["inbox-off", "async-commit", "ack-on-enqueue"] as const;
export type ControlName = (typeof controlNames)[number];

/**
 * Breaks the service from outside before any client comes.
 * @returns a function that ends the fault
 */
export function startControl(name: ControlName, world: World): Promise<() => Promise<unknown>> {
  return controls[name](world);
}

const controls: Record<ControlName, (world: World) => Promise<() => Promise<unknown>>> = {
  "inbox-off": switchInboxOff,
  "async-commit": commitLater,
  "ack-on-enqueue": answerOnEnqueue,
};

/** No reply is ever stored, so that a command that comes twice is carried out twice. */
async function switchInboxOff({ sql }: World): Promise<() => Promise<unknown>> {
  await sql.unsafe(`
    create function forget() returns trigger language plpgsql as 'begin return null; end';
    create trigger forget before insert on inbox for each row execute function forget()`);
  return async () => {};
}

const written = ["todos", "habits", "habit_completions", "categories", "action_log", "inbox"];

/** Commits are answered before they are on disk, and the server dies as it does in a power cut. */
async function commitLater({ sql, pidsOf }: World): Promise<() => Promise<unknown>> {
  await sql.unsafe(`
    create function hasten() returns trigger language plpgsql as
      'begin perform set_config(''synchronous_commit'', ''off'', true); return null; end'`);
  for (const table of written)
    await sql.unsafe(
      `create trigger hasten before insert or update or delete on ${table} execute function hasten()`,
    );
  // Data in the server's own memory is lost with it; data in the kernel survives kill -9.
  await sql.unsafe(`alter system set wal_writer_delay = '10s'`);
  await sql.unsafe(`alter system set wal_writer_flush_after = '1GB'`);
  await sql.unsafe(`select pg_reload_conf()`);
  const powerCuts = setInterval(() => {
    for (const pid of pidsOf("postgres")) signal(pid, "SIGKILL");
  }, 4_000);
  return async () => clearInterval(powerCuts);
}

/** Adds a worker that answers every batch at once without running it. */
async function answerOnEnqueue({ databaseUrl, redisUrl }: World): Promise<() => Promise<unknown>> {
  const publisher = connectFailFast(redisUrl);
  const signer = await signerOf({ databaseUrl });
  const connection = connectBlocking(redisUrl, workerSilenceMs);
  const process = async ({ data }: { data: CommandBatch }) => {
    const replies = data.commands.map(({ ticket, input }) => ({ ticket, ...inventSuccess(input) }));
    const message: Replies = { v: batchVersion, batchId: data.id, replies };
    await publisher.publish(data.replyTo, JSON.stringify(signer.sign(message))).catch(() => undefined);
  };
  const worker = openWorker<CommandBatch>(commandQueue, {
    connection,
    queuePrefix: "kept",
    concurrency: 1,
    log: createLog("control", "silent"),
    metrics: createJobMetrics(new Registry()),
    watch: createHangWatch(),
    process,
  });
  return async () => {
    await worker.close(true);
    publisher.disconnect();
    connection.disconnect();
  };
}

/** Invents the todo, habit or category that the command would have made. */
function inventSuccess(input: unknown): Omit<Reply, "ticket"> {
  const id = 1_000_000_000 + Math.floor(Math.random() * 1_000_000_000);
  const body = { id, description: null, is_completed: true, is_completed_today: true, ...(input as object) };
  return { outcome: { body }, replayed: false };
}
