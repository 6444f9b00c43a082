import { createLines } from "./lines.ts";

type Bounds = Readonly<{
  /** How many turns there are at the same time, and how many of them one key has. Any number where left out. */
  atOnce?: number;
  atOnceOfKey?: number;
  /** How many wait for a turn, and how many of them under one key. */
  mostWaiting?: number;
  mostWaitingOfKey?: number;
  /** How long one waits (ms). */
  patienceMs?: number;
}>;

export type Turns = Readonly<{
  /** @returns a function that ends the turn; undefined when too many wait, or none came in time */
  take(key: string): Promise<(() => void) | undefined>;
  /** Works when it is the key's turn. @returns what `refuse` gives when there is none */
  run<Result, Refused>(
    key: string,
    work: () => Promise<Result>,
    refuse: () => Refused | Promise<Refused>,
  ): Promise<Result | Refused>;
  /** Resolves when nobody has a turn or waits for one. */
  drained(): Promise<void>;
}>;

/** Gives turns to keys: those that wait are served one key after the other, so the many of one key delay no other. */
export function createTurns({
  atOnce = Number.POSITIVE_INFINITY,
  atOnceOfKey = Number.POSITIVE_INFINITY,
  mostWaiting = Number.POSITIVE_INFINITY,
  mostWaitingOfKey = Number.POSITIVE_INFINITY,
  patienceMs,
}: Bounds): Turns {
  const lines = createLines<() => void>(atOnceOfKey);
  let running = 0;

  function begin(): void {
    for (const line of lines.ready) {
      if (running >= atOnce) return;
      running += 1;
      lines.take(line)?.();
    }
  }

  function end(key: string, turn: () => void): void {
    running -= 1;
    lines.end(key, turn);
    begin();
  }

  function take(key: string): Promise<(() => void) | undefined> {
    return new Promise((resolve) => {
      let timer: Timer | undefined;
      const onTurn = () => {
        clearTimeout(timer);
        resolve(() => end(key, onTurn));
      };
      const giveUp = () => {
        if (lines.withdraw(key, onTurn)) resolve(undefined);
      };
      lines.put(key, onTurn);
      begin();
      if (lines.size() > mostWaiting || lines.sizeOf(key) > mostWaitingOfKey) giveUp();
      else if (patienceMs !== undefined && lines.sizeOf(key) > 0) timer = setTimeout(giveUp, patienceMs);
    });
  }

  return {
    take,
    async run(key, work, refuse) {
      const endTurn = await take(key);
      if (!endTurn) return refuse();
      try {
        return await work();
      } finally {
        endTurn();
      }
    },
    async drained() {
      while (running > 0 || lines.size() > 0) await Bun.sleep(5);
    },
  };
}
