import { pathOf } from "./full-address.ts";

/** A balancer that asks for health at least this often is waited for, until it has heard that we are stopping. */
const askedMs = 10_000;
/** When nothing has come or been answered for this long, no further request is coming, and every answer has left. */
const quietMs = 250;
const drainMs = 3_000;

/** Follows the requests of a server, so that it can stop when no more of them come. */
type Drain = Readonly<{
  hasBegun(): boolean;
  /** Notes a request that came in. */
  note(request: Pick<Request, "url">): void;
  /**
   * Lets clients go elsewhere; resolves when all have gone, or a while after the drain time.
   * @param endStreams called once new requests go to other doors, because streams would be waited for in vain
   */
  finish(isBusy: () => boolean, endStreams?: () => void): Promise<void>;
}>;

/** @param drainSeconds how long to serve on in any case, because a balancer may need that long to hear of it */
export function createDrain(drainSeconds: number): Drain {
  let hasBegun = false;
  let lastRequest = Number.NEGATIVE_INFINITY;
  let lastAsked = Number.NEGATIVE_INFINITY;
  return {
    hasBegun: () => hasBegun,
    note(request) {
      const path = pathOf(request.url);
      if (path === "/health/ready" || path === "/health/accepting") lastAsked = performance.now();
      else if (path !== "/health/live") lastRequest = performance.now();
    },
    async finish(isBusy, endStreams) {
      hasBegun = true;
      const began = performance.now();
      const isWatched = began - lastAsked < askedMs;
      await Bun.sleep(drainSeconds * 1_000);
      await until(() => !isWatched || lastAsked > began);
      endStreams?.();
      await until(() => {
        if (isBusy()) lastRequest = performance.now();
        return performance.now() - lastRequest > quietMs;
      });
    },
  };
}

/** Waits until the condition holds, or for as long as a server takes to stop. */
export async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + drainMs;
  while (!holds() && performance.now() < deadline) await Bun.sleep(5);
}
