import type { Demands } from "./demands.ts";
import { createMailbox } from "./mailbox.ts";
import { createMachines, createSimulation, type Machines, type Simulation, type Work } from "./simulation.ts";

export type Setup = Readonly<{
  doors: number;
  workers: number;
  slotsOfWorker: number;
  postgresCores: number;
  /** Set if all programs and the load generator share cores; otherwise each process has its own. */
  shared?: Readonly<{ cores: number; generatorUs: number }>;
  /** The number of clients; each sends its next request after the last answer. */
  clients: number;
  /** Microseconds that a commit waits for the disk. */
  fsyncUs: number;
}>;

type Prediction = Readonly<{
  perSecond: number;
  p50Ms: number;
  requestsPerBatch: number;
  use: ReturnType<Machines["use"]>;
}>;

type World = Readonly<{ simulation: Simulation; machines: Machines; demands: Demands; setup: Setup }>;
type Queue = Readonly<{ redis: Work; add(job: Job): void }>;
type Job = (work: Work, free: () => void) => void;

const warmUpUs = 300_000;

/**
 * Simulates this many µs of writes through front doors, Redis, workers and PostgreSQL.
 * @returns the figures that clients see
 */
export function simulateWrites(demands: Demands, setup: Setup, us = 1_000_000): Prediction {
  const simulation = createSimulation();
  const machines = createMachines(simulation, setup.shared?.cores);
  const world = { simulation, machines, demands, setup };
  const postgres = machines.processes("postgres", setup.postgresCores);
  const workers = Array.from({ length: setup.workers }, () => machines.process("workers"));
  const queue = openQueue(world, workers);
  const seen = { latencies: [] as number[], batches: 0 };
  const isMeasured = () => simulation.now() > warmUpUs;
  const onBatch = () => {
    if (isMeasured()) seen.batches += 1;
  };
  const onAnswer = (latency: number) => {
    if (isMeasured()) seen.latencies.push(latency);
  };
  for (let door = 0; door < setup.doors; door++) openDoor(world, { queue, postgres, onBatch, onAnswer });
  simulation.runUntil(warmUpUs + us);
  const sorted = Float64Array.from(seen.latencies).sort();
  return {
    perSecond: (sorted.length * 1_000_000) / us,
    p50Ms: (sorted[Math.floor(sorted.length / 2)] ?? 0) / 1_000,
    requestsPerBatch: sorted.length / seen.batches,
    use: machines.use(),
  };
}

function openQueue({ machines, setup }: World, workers: readonly Work[]): Queue {
  const slots = workers.flatMap((work) => Array.from({ length: setup.slotsOfWorker }, () => work));
  const jobs: Job[] = [];
  const start = () => {
    const [job, work] = jobs.length > 0 && slots.length > 0 ? [jobs.shift(), slots.shift()] : [];
    if (!job || !work) return;
    job(work, () => {
      slots.push(work);
      start();
    });
  };
  return {
    redis: machines.process("redis"),
    add(job) {
      jobs.push(job);
      start();
    },
  };
}

type Door = Readonly<{
  queue: Queue;
  postgres: Work;
  onBatch(): void;
  onAnswer(latency: number): void;
}>;

/** The clients of a door, each with a user of its own. */
function openDoor(world: World, { queue, postgres, onBatch, onAnswer }: Door): void {
  const { simulation, machines, demands, setup } = world;
  const serve = machines.process("api");
  const generate = setup.shared ? machines.process("api") : undefined;
  const send = createMailbox(simulation, (answers, done) => {
    onBatch();
    serve(demands.api.batch, () =>
      carryOut(world, { queue, postgres, size: answers.length }, () => {
        for (const answer of answers) answer();
        done();
      }),
    );
  });
  const request = () => {
    const sentAt = simulation.now();
    const arrive = () => serve(demands.api.request / 2, () => send(answer));
    const answer = () =>
      serve(demands.api.request / 2, () => {
        onAnswer(simulation.now() - sentAt);
        request();
      });
    if (generate) generate(setup.shared?.generatorUs ?? 0, arrive);
    else arrive();
  };
  for (let client = 0; client < Math.ceil(setup.clients / setup.doors); client++) request();
}

type Batch = Readonly<{ queue: Queue; postgres: Work; size: number }>;

/** Queue, worker, transaction, commit, reply. A program spends half of its time on the way down, half on the way back. */
function carryOut(
  { simulation, demands, setup }: World,
  { queue, postgres, size }: Batch,
  done: () => void,
): void {
  const half = (program: keyof Demands): number =>
    (demands[program].batch + demands[program].request * size) / 2;
  queue.redis(half("redis"), () =>
    queue.add((work, free) =>
      work(half("workers"), () =>
        postgres(2 * half("postgres"), () =>
          simulation.after(setup.fsyncUs, () =>
            work(half("workers"), () => {
              free();
              queue.redis(half("redis"), done);
            }),
          ),
        ),
      ),
    ),
  );
}
