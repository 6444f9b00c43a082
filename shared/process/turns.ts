type Bounds = Readonly<{
  /** The most simultaneous turns, in all and of one key; unlimited by default. */
  atOnce?: number;
  atOnceOfKey?: number;
  /** The most waiters for a turn, in all and of one key. */
  mostWaiting?: number;
  mostWaitingOfKey?: number;
  /** Milliseconds for which a waiter waits. */
  patienceMs?: number;
  /** Milliseconds after which a turn makes room for another, although its work goes on. */
  countsForMs?: number;
}>;

/** @returns a function that ends the turn; undefined when too many wait, or none came in time */
export type Turn = (() => void) | undefined;

export type Turns = Readonly<{
  /** @param patience the time to wait if it is not `patienceMs` */
  take(key: string, patience?: number): Promise<Turn> | Turn;
  /**
   * Runs the work in the key's turn.
   * @returns the result of `refuse` if there is no turn
   */
  run<Result, Refused>(
    key: string,
    work: () => Promise<Result>,
    refuse: () => Refused | Promise<Refused>,
    patience?: number,
  ): Promise<Result | Refused>;
  /** Resolves when nobody has or awaits a turn. */
  drained(): Promise<void>;
}>;

/** The running turns of one key, and its waiting ones in order. */
type Line = Readonly<{ key: string; running: Set<() => void>; waiting: Set<() => void> }>;

/** Gives turns to keys one after the other, so that a key with many does not delay the rest. */
export function createTurns({
  atOnce = Number.POSITIVE_INFINITY,
  atOnceOfKey = Number.POSITIVE_INFINITY,
  mostWaiting = Number.POSITIVE_INFINITY,
  mostWaitingOfKey = Number.POSITIVE_INFINITY,
  patienceMs,
  countsForMs,
}: Bounds): Turns {
  const lines = new Map<string, Line>();
  /** Lines that wait only for other lines, least recently served first. */
  const ready = new Set<Line>();
  let [running, waiting] = [0, 0];

  /** A line that is ready keeps its place. */
  function update(line: Line): void {
    if (line.waiting.size > 0 && line.running.size < atOnceOfKey) ready.add(line);
    else ready.delete(line);
    if (line.waiting.size === 0 && line.running.size === 0) lines.delete(line.key);
  }

  /** @returns a function that ends the turn */
  function begin(line: Line): () => void {
    const end = () => {
      if (!line.running.delete(end)) return;
      clearTimeout(timer);
      running -= 1;
      update(line);
      for (const next of ready) {
        if (running >= atOnce) return;
        const [onTurn] = next.waiting;
        ready.delete(next);
        onTurn?.();
      }
    };
    const timer = countsForMs === undefined ? undefined : setTimeout(end, countsForMs);
    line.running.add(end);
    running += 1;
    return end;
  }

  function wait(line: Line, patience: number | undefined): Promise<Turn> {
    const { promise, resolve } = Promise.withResolvers<Turn>();
    const onTurn = () => leave(begin(line));
    const timer = patience === undefined ? undefined : setTimeout(() => leave(undefined), patience);
    const leave = (turn: Turn) => {
      clearTimeout(timer);
      line.waiting.delete(onTurn);
      waiting -= 1;
      update(line);
      resolve(turn);
    };
    line.waiting.add(onTurn);
    waiting += 1;
    update(line);
    return promise;
  }

  /** While there is room, no line waits, so a turn begins at once. */
  function take(key: string, patience = patienceMs): Promise<Turn> | Turn {
    const line = lines.get(key) ?? { key, running: new Set(), waiting: new Set() };
    lines.set(key, line);
    if (running < atOnce && line.running.size < atOnceOfKey) return begin(line);
    if (waiting < mostWaiting && line.waiting.size < mostWaitingOfKey) return wait(line, patience);
    update(line);
    return undefined;
  }

  return {
    take,
    async drained() {
      while (running > 0 || waiting > 0) await Bun.sleep(5);
    },
    async run(key, work, refuse, patience) {
      const end = await take(key, patience);
      return end ? Promise.try(work).finally(end) : refuse();
    },
  };
}
