/** Keeps track of whether any worker answers this front door. */
type WorkerPresence = Readonly<{
  isAway(): boolean;
  /** Notes a reply, which shows that workers are there. */
  answered(): void;
  /** Notes a refusal: a worker is there, but it may not be one that serves this door. */
  refused(): void;
  /** Notes that a batch got no answer in time. */
  unanswered(sentAt: number): Promise<void>;
  /** Asks at once, when this door may itself have been deaf. */
  recheck(): void;
  close(): void;
}>;

type Options = Readonly<{
  /** Asks for an answer. @returns whether one came */
  probe(): Promise<boolean>;
  /** Whether a worker runs, which may be too busy to answer. */
  isAlive(): Promise<boolean>;
  onAway(): void;
}>;

const pauseMs = 200;

/** Counts the workers as away when nothing came after a batch left and none is alive, and then asks until one answers. */
export function createWorkerPresence({ probe, isAlive, onAway }: Options): WorkerPresence {
  let lastHeard = 0;
  let away = false;
  let closed = false;

  async function probeUntilAnswered(): Promise<void> {
    while (away && !closed) if (!(await probe())) await Bun.sleep(pauseMs);
  }

  return {
    isAway: () => away,
    answered() {
      lastHeard = performance.now();
      away = false;
    },
    refused() {
      lastHeard = performance.now();
    },
    async unanswered(sentAt) {
      const isSilent = () => lastHeard < sentAt && !away && !closed;
      if (!isSilent() || (await isAlive()) || !isSilent()) return;
      away = true;
      onAway();
      void probeUntilAnswered();
    },
    recheck() {
      if (away) void probe();
    },
    close() {
      closed = true;
    },
  };
}
