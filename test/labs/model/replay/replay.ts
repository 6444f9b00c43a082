import { expect } from "bun:test";
import { Redis } from "ioredis";
import type { Config } from "../../../../shared/process/config.ts";
import { eventually } from "../../../support/reminder/stack.ts";
import { countEffects, type Doors } from "./doors.ts";
import { type HeldWorker, type Stop, startHeldWorker } from "./held-worker.ts";
import type { SlowTime } from "./slow-time.ts";
import type { Trace } from "./traces.ts";

type World = Readonly<{ config: Config; time: SlowTime; doors: Doors }>;

/** Brings each event of a trace about, and compares what callers hear and PostgreSQL has with what the trace says. */
export async function replay({ config, time, doors }: World, { scenario, events }: Trace): Promise<void> {
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
