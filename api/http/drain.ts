/** A stopping process waits for balancers that ask for health at least this often, until each has heard of the stop. */
const askedMs = 10_000;
/** After this silence no further request is coming and every answer has left. */
const quietMs = 250;
const drainMs = 3_000;

/** The facts about a server's requests that decide when it may stop (times of performance.now()). */
export type Traffic = {
  isStopping: boolean;
  lastRequest: number;
  /** The time of a balancer's last question for health. */
  lastAsked: number;
};

export const noTraffic = (): Traffic => ({
  isStopping: false,
  lastRequest: Number.NEGATIVE_INFINITY,
  lastAsked: Number.NEGATIVE_INFINITY,
});

type Stopping = Readonly<{
  /** Seconds to serve on in any case; a balancer may need them to notice the stop. */
  drainSeconds: number;
  isBusy(): boolean;
  /** Called once new requests go to other doors. Streams end then, because they would never end by themselves. */
  endStreams?(): void;
}>;

/** Lets clients go elsewhere; resolves when all have gone, or a while after the drain time. */
export async function drain(traffic: Traffic, { drainSeconds, isBusy, endStreams }: Stopping): Promise<void> {
  traffic.isStopping = true;
  const began = performance.now();
  const isWatched = began - traffic.lastAsked < askedMs;
  await Bun.sleep(drainSeconds * 1_000);
  await until(() => !isWatched || traffic.lastAsked > began);
  endStreams?.();
  await until(() => {
    if (isBusy()) traffic.lastRequest = performance.now();
    return performance.now() - traffic.lastRequest > quietMs;
  });
}

/** Waits until the condition holds, or for as long as a server takes to stop. */
export async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + drainMs;
  while (!holds() && performance.now() < deadline) await Bun.sleep(5);
}
