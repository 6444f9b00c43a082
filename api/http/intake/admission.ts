const beatMs = 10;
/** A process that runs its timers this late (ms) has more to do than it can. */
const lateMs = 15;
/** Lateness for less than this (ms) is a burst, which is served. */
const burstMs = 500;
/** Load is over when this process was not late for this long. */
const calmMs = 2_000;
/** The most simultaneous requests while load is shed: enough to fill every batch, few enough to be answered in time. */
const limit = 500;

/**
 * Decides whether a request is served. It sheds load once this process was late for long, until it was punctual for a while.
 * Each sender gets an equal part of the limit, and one part stays free for a new sender, so the busiest are refused
 * first. Senders are counted only while load is shed, because counting costs as much as the checks of a request.
 */
export function createAdmission() {
  const underWay = new Set<object>();
  const ofSenders = new Map<string, number>();
  let isShedding = false;
  /** The time for which this process has been late, minus the time for which it was punctual (ms). */
  let lateFor = 0;
  let lastLate = Number.NEGATIVE_INFINITY;
  let lastBeat = performance.now();
  let lastCheck = lastBeat;

  // While requests are taken in under load, timers may not run for seconds. So each request checks, too.
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

  /** @param sender given only while load is shed */
  function enter(sender?: string): () => void {
    const request = {};
    underWay.add(request);
    if (sender !== undefined) ofSenders.set(sender, (ofSenders.get(sender) ?? 0) + 1);
    return () => {
      if (!underWay.delete(request) || sender === undefined) return;
      const left = (ofSenders.get(sender) ?? 0) - 1;
      if (left > 0) ofSenders.set(sender, left);
      else ofSenders.delete(sender);
    };
  }

  return {
    /**
     * @param senderOf asked only while load is shed
     * @returns a function to call when the request is answered; undefined when it is to be refused
     */
    admit(senderOf: () => string): (() => void) | undefined {
      check(performance.now());
      if (!isShedding) return enter();
      const sender = senderOf();
      const share = Math.max(1, limit / (ofSenders.size + 1));
      return underWay.size >= limit || (ofSenders.get(sender) ?? 0) >= share ? undefined : enter(sender);
    },
    /** True while every request is refused. */
    isFull: () => isShedding && underWay.size >= limit,
    stop: () => clearInterval(heart),
  };
}
