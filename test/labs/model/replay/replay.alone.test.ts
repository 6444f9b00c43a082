import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Redis } from "ioredis";
import { Pool, type PoolClient } from "pg";
import { Registry } from "prom-client";
import { openDatabase } from "../../../../shared/db/orm.ts";
import { type Config, loadConfig } from "../../../../shared/process/config.ts";
import { createLog } from "../../../../shared/process/observe/log.ts";
import { createSecurityLog } from "../../../../shared/process/observe/security-log.ts";
import { connectBlocking, connectFailFast, workerSilenceMs } from "../../../../shared/queue/connections.ts";
import { giveSign, signEveryMs } from "../../../../shared/queue/signs-of-life.ts";
import { startCommands } from "../../../../workers/commands/worker.ts";
import { createHangWatch, createJobMetrics } from "../../../../workers/process/job-worker.ts";
import { testEnvironment } from "../../../harness.ts";
import { inFolder } from "../../../support/folder.ts";
import { eventually } from "../../../support/reminder/stack.ts";
import { countEffects, type Doors, openDoors } from "./doors.ts";
import { type Trace, traces } from "./traces.ts";

const slowness = 10;

type SlowTime = Awaited<ReturnType<typeof slowTime>>;

/** PostgreSQL's clock is ahead, because slow time must not fall behind what is stored by `now()`. */
const slowClock = (database: string) => `
  create schema slow;
  create table slow.clock as select clock_timestamp() as began, interval '2 minutes' as ahead;
  create function slow.clock_timestamp() returns timestamptz language sql volatile as
    'select began + ahead + (pg_catalog.clock_timestamp() - began) / ${slowness} from slow.clock';
  grant usage on schema slow to public;
  grant select on slow.clock to public;
  alter database ${database} set search_path = slow, pg_catalog, public`;

/**
 * From now on a tenth of the time passes, for this process and for PostgreSQL, so that nothing is late before a trace
 * says so. Workers see the first age by PostgreSQL's clock, and doors the second one by their own.
 */
async function slowTime(databaseUrl: string) {
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  await pool.query(slowClock(new URL(databaseUrl).pathname.slice(1)));
  const now = performance.now.bind(performance);
  const beganAt = now();
  let aheadMs = 0;
  let isLate = false;
  performance.now = () => beganAt + aheadMs + (now() - beganAt) / slowness;
  const moveServer = (ms: number) =>
    pool.query("update slow.clock set ahead = ahead + $1 * interval '1 ms'", [ms]);

  /** Brings a command to the next age of the model: late for a worker, then over for its caller. */
  async function older(): Promise<void> {
    await moveServer(isLate ? 300 : 1_200);
    if (isLate) aheadMs += 1_500;
    isLate = !isLate;
  }
  return {
    older,
    /** Ends a trace: what follows is sent at one time of both clocks. */
    async even(): Promise<void> {
      if (isLate) await older();
    },
    async stop(): Promise<void> {
      performance.now = now;
      await pool.end();
    },
  };
}

/**
 * Asks the checker for a run of the model with exactly the events of each trace, which are all of one scenario.
 * @returns for each trace, whether there is one
 */
const areTraces = (traces: readonly Trace[]): Promise<boolean[]> =>
  inFolder("trace", async (cwd) => {
    await Bun.write(join(cwd, "trace.pml"), listening(traces));
    await Bun.$`spin -a trace.pml`.cwd(cwd).quiet();
    await Bun.$`gcc -DSAFETY -DNOREDUCE -w -o pan pan.c`.cwd(cwd).quiet();
    const isTrace = async ({ events: { length } }: Trace, which: number) => {
      const text = await Bun.$`WHICH=${which} LENGTH=${length} ./pan -n -w18`.cwd(cwd).nothrow().text();
      return text.includes("end state in claim reached");
    };
    return Promise.all(traces.map(isTrace));
  });

/** The model with a place in the trace. Each event moves it on, or ends the run. At the end of the trace the claim breaks. */
function listening(traces: readonly Trace[]): string {
  const isNext = traces.flatMap(({ events }, which) =>
    events.map((event, place) => {
      const [name, number] = event.split(" ");
      return `(which == ${which} && place == ${place} && name == ${name} && n == ${number})`;
    }),
  );
  return `
#define ${traces[0]?.scenario}
#define FAULTS 2
#define astray 255
#define event(name, n) place = (${isNext.join(" || ")} -> place + 1 : astray)
byte place, which, length;
#include "${join(import.meta.dir, "..", "protocol.pml")}"
never {
  c_code { now.which = atoi(getenv("WHICH")); now.length = atoi(getenv("LENGTH")); };
  do
  :: place < length
  :: place == length -> break
  od
}
`;
}

const missing = ["spin", "gcc"].filter((program) => !Bun.which(program));
if (missing.length > 0)
  console.warn(`SKIPPED: whether traces are the model's needs ${missing.join(" and ")} (Debian).`);

const config = loadConfig({ ...(await testEnvironment()), WORKER_CONCURRENCY: "1" });
const time = await slowTime(config.databaseUrl);
const doors = await openDoors(config);
const redis = connectFailFast(config.redisUrl);
const signs = setInterval(() => giveSign(redis, config.queuePrefix), signEveryMs);

afterAll(async () => {
  clearInterval(signs);
  redis.disconnect();
  await time.stop();
  await doors.close();
});

test.skipIf(missing.length > 0)(
  "the model has each trace, and no trace that tells a late change as done",
  async () => {
    const { KEY = [], ORDER = [] } = Object.groupBy(traces, ({ scenario }) => scenario);
    const late = ORDER.find(({ events }) => events.includes("NO 0"));
    const events = late?.events.map((event) => (event === "NO 0" ? "DONE 0" : event)) ?? [];
    const wrong = { says: "", scenario: "ORDER", events } as const;
    expect(await areTraces(KEY)).toEqual(KEY.map(() => true));
    expect(await areTraces([...ORDER, wrong])).toEqual([...ORDER.map(() => true), false]);
  },
);

for (const trace of traces)
  test(`the service follows the model: ${trace.says}`, () => replay({ config, time, doors }, trace));

type World = Readonly<{ config: Config; time: SlowTime; doors: Doors }>;

/** Brings each event of a trace about, and compares what callers hear and PostgreSQL has with what the trace says. */
async function replay({ config, time, doors }: World, { scenario, events }: Trace): Promise<void> {
  const started = await Promise.all([startHeldWorker(config), startHeldWorker(config)]);
  const living = new Set<HeldWorker>(started);
  const person = await doors.newPerson();
  for (const worker of living) worker.hold();
  const holder = await doors.pool.connect();
  /** The workers by their numbers in the model; any free one takes a job. */
  const workers = new Map<number, HeldWorker>();
  const answers: Promise<string>[] = [];
  let orphan: Stop | undefined;

  const stopOf = (w: number, at: Stop["at"]) =>
    eventually(() => {
      const stop = workers.get(w)?.stop();
      return stop?.at === at && stop;
    });
  const check = async (request: number, times: number) =>
    expect(await countEffects(doors, scenario, person, request)).toEqual({ changes: times, logged: times });
  const answered = async (request: number, outcome: string) =>
    expect(`${await answers[request]} ${request}`).toBe(`${outcome} ${request}`);

  const acts: Readonly<Record<string, (n: number) => unknown>> = {
    SENT(r) {
      answers[r] = doors.send(scenario, person, r);
    },
    // A door sends by itself.
    ADDED() {},
    async TAKEN(w) {
      const taker = await eventually(() => [...living].find((worker) => worker.stop()?.at === "begin"));
      for (const [number, worker] of workers) if (worker === taker) workers.delete(number);
      workers.set(w, taker);
    },
    async BEGUN(w) {
      (await stopOf(w, "begin")).pass();
      await stopOf(w, "commit");
    },
    async COMMITTED(w) {
      (await stopOf(w, "commit")).pass();
      await stopOf(w, "reply");
    },
    APPLIED: (r) => check(r, 1),
    REPLIED: async (w) => (await stopOf(w, "reply")).pass(),
    async REPLY_LOST(w) {
      workers.get(w)?.loseReplies();
      (await stopOf(w, "reply")).pass();
    },
    KILLED: (w) => kill(w),
    async KILLED_IN_COMMIT(w) {
      orphan = await stopOf(w, "commit");
      await kill(w);
    },
    async CUT_IN_COMMIT(w) {
      orphan = await stopOf(w, "commit");
      orphan.cut();
    },
    ORPHAN_COMMITTED: () => orphan?.end("commit"),
    ORPHAN_ROLLED_BACK: () => orphan?.end("rollback"),
    OLDER: time.older,
    // BullMQ sees by itself that a worker has died.
    COMES_AGAIN() {},
    FLUSHED: () => forgetJobs(config),
    async ROW_HELD() {
      await holder.query("begin");
      await holder.query("select from todos where id = $1 for update", [person.todoId]);
    },
    ROW_LET_GO: () => holder.query("rollback"),
    DONE: (r) => answered(r, "DONE"),
    NO: (r) => answered(r, "NO"),
    UNKNOWN: (r) => answered(r, "UNKNOWN"),
  };

  async function kill(w: number): Promise<void> {
    const worker = workers.get(w);
    worker?.kill();
    if (worker) living.delete(worker);
    workers.delete(w);
    const next = await startHeldWorker(config);
    next.hold();
    living.add(next);
    started.push(next);
  }

  try {
    for (const event of events) {
      const [name = "", number] = event.split(" ");
      const act = acts[name];
      if (!act) throw new Error(`Nothing brings ${event} about.`);
      await act(Number(number));
    }
  } finally {
    for (const worker of started) await worker.close();
    holder.release(true);
    await time.even();
  }
  // Each command has as many effects as the trace says, also after all that its workers still did.
  for (const request of answers.keys()) await check(request, effectsIn(events, scenario, request));
}

const effectsIn = (events: Trace["events"], scenario: Trace["scenario"], request: number): number =>
  events.filter(
    (event) => event === `APPLIED ${request}` || (scenario === "KEY" && event.startsWith("APPLIED")),
  ).length;

/** Takes from Redis what a loss of its memory would take. Other tests use the same server. */
async function forgetJobs({ redisUrl, queuePrefix }: Config): Promise<void> {
  const redis = new Redis(redisUrl);
  const keys = await redis.keys(`{${queuePrefix}}*`);
  await redis.del(...keys);
  redis.disconnect();
}

/** A worker's transaction that stands before its BEGIN, before its COMMIT, or before its replies. */
type Stop = Readonly<{
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

type HeldWorker = Awaited<ReturnType<typeof startHeldWorker>>;

/** Starts the commands of a worker, which can be made to stop at each step of a transaction until it is let through. */
async function startHeldWorker(config: Config) {
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
