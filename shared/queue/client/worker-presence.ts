/** What this front door knows about whether any worker answers. */
export type WorkerPresence = Readonly<{
  isAway(): boolean;
  /** Notes a reply, which shows that workers are there. */
  answered(): void;
  /** Notes a refusal: a worker is there, but it may not be one that serves this door. */
  refused(): void;
  /** Notes that a batch got no answer in time. */
  unanswered(sentAt: number): void;
  /** Asks at once, when this door may itself have been deaf. */
  recheck(): void;
  close(): void;
}>;

type Options = Readonly<{
  /** Asks for an answer. @returns whether one came */
  probe(): Promise<boolean>;
  onAway(): void;
}>;

const pauseMs = 200;

/** Counts the workers as away when nothing came after a batch left, and then asks until one answers. */
export function createWorkerPresence({ probe, onAway }: Options): WorkerPresence {
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
    unanswered(sentAt) {
      if (lastHeard >= sentAt || away || closed) return;
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
