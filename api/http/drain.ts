/** A balancer that asks for readiness at least this often is waited for, until it has heard that we are stopping. */
const askedMs = 10_000;
/** When nothing has come or been answered for this long, no further request is coming, and every answer has left. */
const quietMs = 250;
const drainMs = 3_000;

/** Follows the requests of a front door, so that it can stop when no more of them come. */
type Drain = Readonly<{
  hasBegun(): boolean;
  /** Notes a request that came in. */
  note(request: Request): void;
  /** Lets clients go elsewhere; resolves when all have gone, or after a while. */
  finish(isBusy: () => boolean): Promise<void>;
}>;

export function createDrain(): Drain {
  let hasBegun = false;
  let lastRequest = Number.NEGATIVE_INFINITY;
  let lastAsked = Number.NEGATIVE_INFINITY;
  return {
    hasBegun: () => hasBegun,
    note(request) {
      if (isHealthCheck(request)) lastAsked = performance.now();
      else lastRequest = performance.now();
    },
    async finish(isBusy) {
      hasBegun = true;
      const began = performance.now();
      const isWatched = began - lastAsked < askedMs;
      await until(() => !isWatched || lastAsked > began);
      await until(() => {
        if (isBusy()) lastRequest = performance.now();
        return performance.now() - lastRequest > quietMs;
      });
    },
  };
}

/** By its whole path: a query that ends like it is no way past the checks of other requests. */
export const isHealthCheck = ({ url }: Request): boolean => readinessUrl.test(url);

const readinessUrl = /^(https?:\/\/[^/?]*)?\/health\/ready(\?|$)/i;

/** Waits until the condition holds, or for as long as a door takes to stop. */
export async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + drainMs;
  while (!holds() && performance.now() < deadline) await Bun.sleep(5);
}
