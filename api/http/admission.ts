/** Decides whether a request can be served before anything else is done with it, so that refusing costs next to nothing. */
type Admission = Readonly<{
  /** @returns a function to call when the request is answered; undefined when it is to be refused */
  admit(request: Request): (() => void) | undefined;
  stop(): void;
}>;

const beatMs = 10;
/** A process that runs its timers this late (ms) has more to do than it can. */
const lateMs = 15;
/** Lateness shorter than this (ms) is a burst, which is to be served. */
const burstMs = 500;
/** The load is taken to be gone when there was no refusal for this long. */
const calmMs = 2_000;
/** How many requests are under way at once while load is shed: enough to fill every batch, few enough to be answered in time. */
const limit = 500;

/**
 * Sheds load after this process has been late for long. Senders are told apart by their authorization header. Each may
 * use an equal part of the limit, and one part stays free for the next to come, so that the busiest are refused first.
 * They are counted only while load is shed, because that costs a request as much as its checks.
 */
export function createAdmission(): Admission {
  const underWay = new Map<string, number>();
  let total = 0;
  let isShedding = false;
  /** How much longer this process was late than it was not (ms). */
  let lateFor = 0;
  let lastRefusal = Number.NEGATIVE_INFINITY;
  let lastBeat = performance.now();
  let lastCheck = lastBeat;

  // Under load, timers do not run for seconds while requests are taken in, so each request checks, too.
  function check(now: number): void {
    const isLate = now - lastBeat > beatMs + lateMs;
    lateFor = Math.min(burstMs, Math.max(0, lateFor + (isLate ? now - lastCheck : lastCheck - now)));
    lastCheck = now;
    if (lateFor === burstMs) isShedding = true;
    else if (lateFor === 0 && now - lastRefusal > calmMs) isShedding = false;
  }

  const heart = setInterval(() => {
    check(performance.now());
    lastBeat = lastCheck;
  }, beatMs);
  heart.unref();

  const leave = () => {
    total -= 1;
  };

  function enter(sender: string): () => void {
    total += 1;
    underWay.set(sender, (underWay.get(sender) ?? 0) + 1);
    return () => {
      leave();
      const left = (underWay.get(sender) ?? 0) - 1;
      if (left > 0) underWay.set(sender, left);
      else underWay.delete(sender);
    };
  }

  return {
    admit({ headers }) {
      const now = performance.now();
      check(now);
      if (!isShedding) {
        total += 1;
        return leave;
      }
      const sender = headers.get("authorization") ?? "";
      const share = Math.max(1, limit / (underWay.size + 1));
      if (total >= limit || (underWay.get(sender) ?? 0) >= share) {
        lastRefusal = now;
        return undefined;
      }
      return enter(sender);
    },
    stop: () => clearInterval(heart),
  };
}
