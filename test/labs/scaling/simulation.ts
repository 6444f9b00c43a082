/** Events in the order of their times (µs). Of two at the same time, the one planned first comes first. */
export type Simulation = Readonly<{
  now(): number;
  after(us: number, action: () => void): void;
  /** Lets time pass until then. */
  runUntil(us: number): void;
}>;

export function createSimulation(): Simulation {
  /** The first event comes last. There is one for each client and batch at most, so it is cheap to put one between. */
  const planned: { at: number; action: () => void }[] = [];
  let time = 0;
  return {
    now: () => time,
    after(us, action) {
      const at = time + us;
      let [low, high] = [0, planned.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((planned[middle]?.at ?? 0) > at) low = middle + 1;
        else high = middle;
      }
      planned.splice(low, 0, { at, action });
    },
    runUntil(us) {
      for (let first = planned.at(-1); first && first.at <= us; first = planned.at(-1)) {
        planned.pop();
        time = first.at;
        first.action();
      }
      time = us;
    },
  };
}

type Begin = (us: number, done: () => void) => void;

/** A line before something that takes so many tasks at a time. */
function createLine(count: number, begin: Begin): Begin {
  const waiting: Parameters<Begin>[] = [];
  let free = count;
  const start: Begin = (us, done) => {
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
export type Cores = Readonly<{ take: Begin; busyUs(): number }>;

export function createCores(simulation: Simulation, count: number): Cores {
  let busyUs = 0;
  const take = createLine(count, (us, done) => {
    busyUs += us;
    simulation.after(us, done);
  });
  return { take, busyUs: () => busyUs };
}

/** A process that does one task after another, on cores for which it may have to wait. */
export const createProcess = ({ take }: Cores): Begin => createLine(1, take);
