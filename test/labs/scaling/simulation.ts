import { ofEachProgram } from "../bench/load/measure.ts";
import type { Demands } from "./demands.ts";

export type Simulation = ReturnType<typeof createSimulation>;

/** Events in the order of their times (µs). Of two at the same time, the one planned first comes first. */
export function createSimulation() {
  /** The first event comes last. There is one for each client and batch at most, so it is cheap to put one between. */
  const planned: { at: number; action: () => void }[] = [];
  let time = 0;
  return {
    now: () => time,
    after(us: number, action: () => void): void {
      const at = time + us;
      let [low, high] = [0, planned.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((planned[middle]?.at ?? 0) > at) low = middle + 1;
        else high = middle;
      }
      planned.splice(low, 0, { at, action });
    },
    /** Lets time pass until then. */
    runUntil(us: number): void {
      for (let first = planned.at(-1); first && first.at <= us; first = planned.at(-1)) {
        planned.pop();
        time = first.at;
        first.action();
      }
      time = us;
    },
  };
}

/** Keeps a process busy for some time (µs) and then calls `done`. */
export type Work = (us: number, done: () => void) => void;

/** A line before something that takes so many tasks at a time. */
function createLine(count: number, begin: Work): Work {
  const waiting: Parameters<Work>[] = [];
  let free = count;
  const start: Work = (us, done) => {
    free -= 1;
    begin(us, () => {
      free += 1;
      done();
      const next = free > 0 ? waiting.shift() : undefined;
      if (next) start(...next);
    });
  };
  return (us, done) => (free > 0 ? start(us, done) : void waiting.push([us, done]));
}

/** Processor cores that several processes share. */
type Cores = Readonly<{ take: Work; busyUs(): number }>;

function createCores(simulation: Simulation, count: number): Cores {
  let busyUs = 0;
  const take = createLine(count, (us, done) => {
    busyUs += us;
    simulation.after(us, done);
  });
  return { take, busyUs: () => busyUs };
}

/** A process that does one task after another, on cores for which it may have to wait. */
const createProcess = ({ take }: Cores): Work => createLine(1, take);

export type Machines = ReturnType<typeof createMachines>;

/** The cores of the programs: one for each process, or a few shared by all. */
export function createMachines(simulation: Simulation, sharedCores: number | undefined) {
  const shared = sharedCores === undefined ? undefined : createCores(simulation, sharedCores);
  const all: { program: keyof Demands; own: Cores; count: number }[] = [];
  function cores(program: keyof Demands, count: number): Cores {
    const own = shared ?? createCores(simulation, count);
    all.push({ program, own, count: sharedCores ?? count });
    return own;
  }
  const busiest = (program: keyof Demands): number =>
    Math.max(
      ...all.map((one) => (one.program === program ? one.own.busyUs() / one.count / simulation.now() : 0)),
    );
  return {
    process: (program: keyof Demands): Work => createProcess(cores(program, 1)),
    /** A program of many processes that is limited only by its cores. */
    processes: (program: keyof Demands, count: number): Work => cores(program, count).take,
    /** The busiest process of each program, as a share of the time so far. */
    use: () => ofEachProgram(busiest),
  };
}
