import type { Demands } from "./demands.ts";
import { type Cores, createCores, createProcess, type Simulation } from "./simulation.ts";

/** Keeps a process busy for some time (µs) and then calls `done`. */
export type Work = (us: number, done: () => void) => void;

/** The cores of the programs: one for each process, or a few shared by all. */
export type Machines = Readonly<{
  process(program: keyof Demands): Work;
  /** A program of many processes that is limited only by its cores. */
  processes(program: keyof Demands, count: number): Work;
  /** The busiest process of each program, as a share of the time so far. */
  use(): Readonly<Record<keyof Demands, number>>;
}>;

export function createMachines(simulation: Simulation, sharedCores: number | undefined): Machines {
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
    process: (program) => createProcess(cores(program, 1)),
    processes: (program, count) => cores(program, count).take,
    use: () => ({
      api: busiest("api"),
      workers: busiest("workers"),
      redis: busiest("redis"),
      postgres: busiest("postgres"),
    }),
  };
}
