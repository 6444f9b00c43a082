import type { Pool, PoolClient } from "pg";
import { Registry } from "prom-client";
import { openDatabase } from "../../../../shared/db/orm.ts";
import type { Config } from "../../../../shared/process/config.ts";
import { createLog } from "../../../../shared/process/observe/log.ts";
import { createSecurityLog } from "../../../../shared/process/observe/security-log.ts";
import { connectBlocking, connectFailFast, workerSilenceMs } from "../../../../shared/queue/connections.ts";
import { startCommands } from "../../../../workers/commands/worker.ts";
import { createHangWatch } from "../../../../workers/process/hang-watch.ts";
import { createJobMetrics } from "../../../../workers/process/job-worker.ts";

/** A worker's transaction that stands before its BEGIN, before its COMMIT, or before its replies. */
export type Stop = Readonly<{
  at: "begin" | "commit" | "reply";
  pass(): void;
  /** Cuts the connection as COMMIT is sent. */
  cut(): void;
  /** Ends the transaction after its worker lost it. */
  end(how: "commit" | "rollback"): Promise<unknown>;
}>;

type Life = {
  stop: Stop | undefined;
  is: "held" | "free" | "dead";
  losesReplies: boolean;
  readonly clients: Set<PoolClient>;
  /** Never resolves; rejects when the worker is closed. */
  readonly closed: PromiseWithResolvers<never>;
};

export type HeldWorker = Awaited<ReturnType<typeof startHeldWorker>>;

/** Starts the commands of a worker, which can be made to stop at each step of a transaction until it is let through. */
export async function startHeldWorker(config: Config) {
  const life: Life = {
    ...{ stop: undefined, is: "free", losesReplies: false },
    ...{ clients: new Set(), closed: Promise.withResolvers<never>() },
  };
  life.closed.promise.catch(() => {});
  const log = createLog("test", "silent");
  const database = await openDatabase({ url: config.databaseUrl, log, purpose: "writes" });
  const publisher = connectFailFast(config.redisUrl);
  const publish = publisher.publish.bind(publisher);
  publisher.publish = async (channel: string | Buffer, message: string | Buffer) =>
    life.losesReplies ? 0 : publish(channel, message);
  const blocking = connectBlocking(config.redisUrl, workerSilenceMs);
  const registry = new Registry();
  const commands = await startCommands({
    ...{ config, log, registry, publisher, blocking, tracing: undefined, watch: createHangWatch() },
    database: { ...database, pool: holding(life, database.pool) },
    security: createSecurityLog(log, registry),
    jobMetrics: createJobMetrics(registry),
    travel: () => "0",
  });
  const disconnect = () => {
    publisher.disconnect();
    blocking.disconnect();
  };
  return {
    /** From now on its transactions stop. */
    hold() {
      life.is = "held";
    },
    stop: () => life.stop,
    /** Its next replies are lost. */
    loseReplies() {
      life.losesReplies = true;
    },
    /** From now on it does nothing that others see, like a process that was killed. */
    kill() {
      life.is = "dead";
      disconnect();
    },
    async close() {
      if (life.is === "held") life.is = "free";
      life.stop?.pass();
      life.closed.reject(new Error("closed"));
      await commands.stop();
      disconnect();
      for (const client of life.clients) client.release(true);
      await database.close();
    },
  };
}

function holding(life: Life, pool: Pool): Pool {
  async function connect(): Promise<PoolClient> {
    const client = await pool.connect();
    // Else PostgreSQL ends what stands here for two seconds.
    await client.query("set idle_in_transaction_session_timeout = 0");
    return held(life, client);
  }
  return Object.assign(Object.create(pool), { connect, query: pool.query.bind(pool) });
}

/** A connection whose statements wait while its transaction stands. Their order stays, because each waits for the last. */
function held(life: Life, client: PoolClient): PoolClient {
  life.clients.add(client);
  let isLost = false;
  let last: Promise<unknown> = Promise.resolve();

  function stand(at: Stop["at"]): Promise<void> | undefined {
    if (life.is !== "held") return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const pass = () => {
      life.stop = undefined;
      resolve();
    };
    const cut = () => {
      life.stop = undefined;
      isLost = true;
      reject(new Error("read ECONNRESET"));
    };
    life.stop = { at, pass, cut, end: (how) => client.query(how) };
    return promise;
  }

  function query(text: string, values?: unknown[]) {
    const turn = last.then(() => (text === "begin" || text === "commit" ? stand(text) : undefined));
    last = turn.catch(() => {});
    return turn.then(async () => {
      const result = life.is === "dead" ? await life.closed.promise : await client.query(text, values);
      if (text === "commit") await stand("reply");
      return result;
    });
  }

  function release(error?: boolean) {
    if (isLost || life.is === "dead") return;
    life.clients.delete(client);
    client.release(error);
  }
  return Object.assign(Object.create(client), { query, release });
}
