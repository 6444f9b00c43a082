/** Decides whether a whole request can be served before anything else is done with it, so that refusing costs next to nothing. */
type Admission = Readonly<{
  /**
   * @param sender asked only while load is shed
   * @returns a function to call when the request is answered; undefined when it is to be refused
   */
  admit(sender: () => string): (() => void) | undefined;
  /** True while every request is refused. */
  isFull(): boolean;
  stop(): void;
}>;

const beatMs = 10;
/** A process that runs its timers this late (ms) has more to do than it can. */
const lateMs = 15;
/** Lateness shorter than this (ms) is a burst, which is to be served. */
const burstMs = 500;
/** The load is taken to be gone when this process was not late for this long. */
const calmMs = 2_000;
/** The requests under way at once while load is shed: enough to fill every batch, few enough to be answered in time. */
const limit = 500;

/**
 * Sheds load after this process has been late for long, until it has not been late for a while: refusals prolong nothing.
 * Each sender may use an equal part of the limit, and one part stays free for the next to come, so that the busiest are
 * refused first. They are counted only while load is shed, because that costs a request as much as its checks.
 */
export function createAdmission(): Admission {
  const underWay = new Map<string, number>();
  let total = 0;
  let isShedding = false;
  /** Milliseconds of lateness minus punctuality of this process. */
  let lateFor = 0;
  let lastLate = Number.NEGATIVE_INFINITY;
  let lastBeat = performance.now();
  let lastCheck = lastBeat;

  // Under load, timers do not run for seconds while requests are taken in, so each request checks, too.
  function check(now: number): void {
    const isLate = now - lastBeat > beatMs + lateMs;
    if (isLate || lateFor > 0 || isShedding) weigh(now, isLate);
    lastCheck = now;
  }

  function weigh(now: number, isLate: boolean): void {
    if (isLate) lastLate = now;
    lateFor = Math.min(burstMs, Math.max(0, lateFor + (isLate ? now - lastCheck : lastCheck - now)));
    if (lateFor === burstMs) isShedding = true;
    else if (lateFor === 0 && now - lastLate > calmMs) isShedding = false;
  }

  const heart = setInterval(() => {
    check(performance.now());
    lastBeat = lastCheck;
  }, beatMs);
  heart.unref();

  function enter(leave = () => {}): () => void {
    total += 1;
    let isHere = true;
    return () => {
      if (!isHere) return;
      isHere = false;
      total -= 1;
      leave();
    };
  }

  function enterCounted(sender: string): () => void {
    underWay.set(sender, (underWay.get(sender) ?? 0) + 1);
    return enter(() => {
      const left = (underWay.get(sender) ?? 0) - 1;
      if (left > 0) underWay.set(sender, left);
      else underWay.delete(sender);
    });
  }

  return {
    admit(senderOf) {
      check(performance.now());
      if (!isShedding) return enter();
      const sender = senderOf();
      const share = Math.max(1, limit / (underWay.size + 1));
      return total >= limit || (underWay.get(sender) ?? 0) >= share ? undefined : enterCounted(sender);
    },
    isFull: () => isShedding && total >= limit,
    stop: () => clearInterval(heart),
  };
}
