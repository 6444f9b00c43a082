import { Registry } from "prom-client";
import { createLog } from "../../../shared/process/observe/log.ts";
import { batchVersion, type CommandBatch, type Replies } from "../../../shared/queue/batch.ts";
import { connectBlocking, connectFailFast, workerSilenceMs } from "../../../shared/queue/connections.ts";
import { commandQueue } from "../../../shared/queue/queues.ts";
import { createHangWatch, createJobMetrics, openWorker } from "../../../workers/process/job-worker.ts";
import { signal } from "../../support/servers/signal.ts";
import { signerOf } from "../../support/signed.ts";
import type { World } from "./world.ts";

/** Breaks the service from outside before any client comes. @returns a function that ends the fault */
type Control = (world: World) => Promise<() => unknown>;

/** Deliberate faults. A run that does not find them proves nothing. */
export const controls: Readonly<Record<string, Control>> = {
  /** No reply is ever stored, so that a command that comes twice is carried out twice. */
  async "inbox-off"({ sql }) {
    await sql.unsafe(`
      create function forget() returns trigger language plpgsql as 'begin return null; end';
      create trigger forget before insert on inbox for each row execute function forget()`);
    return () => {};
  },

  /** Commits are answered before they are on disk, and the server dies as it does in a power cut. */
  async "async-commit"({ sql, pidsOf }) {
    await sql.unsafe(`
      create function hasten() returns trigger language plpgsql as
        'begin perform set_config(''synchronous_commit'', ''off'', true); return null; end'`);
    for (const table of ["todos", "habits", "habit_completions", "categories", "action_log", "inbox"])
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
    return () => clearInterval(powerCuts);
  },

  /** A further worker answers every batch at once, with inventions, and runs none. */
  async "ack-on-enqueue"({ databaseUrl, redisUrl }) {
    const publisher = connectFailFast(redisUrl);
    const signer = await signerOf({ databaseUrl });
    const connection = connectBlocking(redisUrl, workerSilenceMs);
    const worker = openWorker<CommandBatch>(commandQueue, {
      connection,
      queuePrefix: "kept",
      concurrency: 1,
      log: createLog("control", "silent"),
      metrics: createJobMetrics(new Registry()),
      watch: createHangWatch(),
      async process({ data }) {
        const replies = data.commands.map(({ ticket, input }) => ({ ticket, ...inventSuccess(input) }));
        const message: Replies = { v: batchVersion, batchId: data.id, replies };
        await publisher.publish(data.replyTo, JSON.stringify(signer.sign(message))).catch(() => undefined);
      },
    });
    return async () => {
      await worker.close(true);
      publisher.disconnect();
      connection.disconnect();
    };
  },
};

/** Invents the todo, habit or category that the command would have made. */
function inventSuccess(input: unknown) {
  const id = 1_000_000_000 + Math.floor(Math.random() * 1_000_000_000);
  const body = { id, description: null, is_completed: true, is_completed_today: true, ...Object(input) };
  return { outcome: { body }, replayed: false };
}

export async function startControl(name: string | undefined, world: World): Promise<() => unknown> {
  return (await controls[name ?? ""]?.(world)) ?? (() => {});
}
