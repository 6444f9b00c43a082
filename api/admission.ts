/** Decides at a request's very first moment whether it can be served, so that refusing costs next to nothing. */
export type Admission = Readonly<{
  admits(request: Request): boolean;
  stop(): void;
}>;

const tickMs = 50;
/** A process that runs its timers this late (ms) has more to do than it can. */
const lateMs = 25;
/** So long (in ticks) that is a burst, which is to be served; and only above this rate it is requests that cause it. */
const burstTicks = 10;
const atLeastPerTick = 50;
/** How the budget follows the lateness, each tick. */
const less = 0.85;
const more = 1.04;

/**
 * Sheds load when this process is late for long: each tick admits a budget of requests, which shrinks while it is
 * late and grows while it is not. Whoever sends most is refused first, told by the header that he shows. Without
 * it, everybody waits for seconds and little is done in time: measured 1 % of the best at three times the load.
 */
export function createAdmission(): Admission {
  const senders = new Map<number, number>();
  /** Of the tick before: whoever comes late in a tick is to find room. */
  let others = 1;
  let budget = Number.POSITIVE_INFINITY;
  let arrived = 0;
  let admitted = 0;
  let refused = 0;
  let lateTicks = 0;
  let due = performance.now() + tickMs;

  const timer = setInterval(() => {
    const now = performance.now();
    const ticks = Math.max(1, (now - due) / tickMs);
    const isLate = now - due > lateMs;
    due = now + tickMs;
    adapt(isLate, ticks);
    others = Math.max(1, senders.size);
    senders.clear();
    arrived = admitted = refused = 0;
  }, tickMs);
  timer.unref();

  function adapt(isLate: boolean, ticks: number): void {
    lateTicks = isLate ? lateTicks + ticks : Math.max(0, lateTicks - 1);
    const isShedding = budget !== Number.POSITIVE_INFINITY;
    if (!isShedding && lateTicks >= burstTicks && arrived / ticks >= atLeastPerTick) budget = arrived / ticks;
    else if (isShedding && refused === 0 && !isLate) budget = release(budget);
    else if (isShedding) budget = Math.max(atLeastPerTick, budget * (isLate ? less : more));
  }

  /** Nothing had to be refused: the load is gone when even the double of it would fit. */
  const release = (budget: number): number =>
    admitted * 2 < budget ? Number.POSITIVE_INFINITY : budget * more;

  return {
    admits({ headers, url }) {
      if (url.endsWith("/health/ready")) return true;
      arrived += 1;
      if (budget === Number.POSITIVE_INFINITY) return true;
      const sender = Number(Bun.hash.crc32(headers.get("authorization") ?? ""));
      const sent = (senders.get(sender) ?? 0) + 1;
      senders.set(sender, sent);
      const share = Math.max(1, budget / Math.max(others, senders.size));
      if (admitted < budget && sent <= share) {
        admitted += 1;
        return true;
      }
      refused += 1;
      return false;
    },
    stop: () => clearInterval(timer),
  };
}
