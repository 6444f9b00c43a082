/** Events in the order of their times (µs). Of two at the same time, the one planned first comes first. */
export type Simulation = Readonly<{
  now(): number;
  after(us: number, action: () => void): void;
  /** Lets time pass until then. */
  runUntil(us: number): void;
}>;

export function createSimulation(): Simulation {
  const planned: { at: number; nth: number; action: () => void }[] = [];
  let [time, count] = [0, 0];
  const isBefore = (one: number, other: number): boolean => {
    const [a, b] = [planned[one], planned[other]];
    return a !== undefined && b !== undefined && (a.at - b.at || a.nth - b.nth) < 0;
  };
  const swap = (one: number, other: number) => {
    const [a, b] = [planned[one], planned[other]];
    if (a && b) [planned[one], planned[other]] = [b, a];
  };
  /** A binary heap, because a second of much traffic has a million events. */
  function takeFirst() {
    const first = planned[0];
    const last = planned.pop();
    if (first === last || !last) return first;
    planned[0] = last;
    for (let index = 0; ; ) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      const least = isBefore(right, left) ? right : left;
      if (!isBefore(least, index)) return first;
      swap(least, index);
      index = least;
    }
  }
  return {
    now: () => time,
    after(us, action) {
      planned.push({ at: time + us, nth: count++, action });
      for (let index = planned.length - 1; index > 0; ) {
        const parent = (index - 1) >> 1;
        if (!isBefore(index, parent)) break;
        swap(index, parent);
        index = parent;
      }
    },
    runUntil(us) {
      for (let first = planned[0]; first && first.at <= us; first = planned[0]) {
        takeFirst();
        time = first.at;
        first.action();
      }
      time = us;
    },
  };
}

/** Processor cores that several processes share. */
export type Cores = Readonly<{ take(us: number, done: () => void): void; busyUs(): number }>;

export function createCores(simulation: Simulation, count: number): Cores {
  const waiting: { us: number; done: () => void }[] = [];
  let [free, busyUs] = [count, 0];
  function start(us: number, done: () => void) {
    free -= 1;
    busyUs += us;
    simulation.after(us, () => {
      free += 1;
      done();
      const next = free > 0 ? waiting.shift() : undefined;
      if (next) start(next.us, next.done);
    });
  }
  return {
    busyUs: () => busyUs,
    take: (us, done) => (free > 0 ? start(us, done) : void waiting.push({ us, done })),
  };
}

/** A process that does one task after another, on cores for which it may have to wait. */
export function createProcess(cores: Cores): (us: number, done: () => void) => void {
  const waiting: { us: number; done: () => void }[] = [];
  let isBusy = false;
  function start(us: number, done: () => void) {
    isBusy = true;
    cores.take(us, () => {
      isBusy = false;
      done();
      const next = isBusy ? undefined : waiting.shift();
      if (next) start(next.us, next.done);
    });
  }
  return (us, done) => (isBusy ? void waiting.push({ us, done }) : start(us, done));
}
