/** Decides at a request's very first moment whether it can be served, so that refusing costs next to nothing. */
export type Admission = Readonly<{
  /** @returns what to call when the request is answered; undefined when it is to be refused */
  admit(request: Request): (() => void) | undefined;
  stop(): void;
}>;

const beatMs = 10;
/** A process that runs its timers this late has more to do than it can. */
const lateMs = 15;
/** Shorter than this is a burst, which is to be served. */
const burstMs = 500;
/** Without a refusal for so long the load is gone. */
const calmMs = 2_000;
/** What is under way at once while load is shed: enough to fill every batch, and no more than is answered in time. */
const limit = 500;

/**
 * Sheds load while this process has been late for long: each sender, told by the header that he shows, has an equal
 * part of the limit, of which one more part stays free for whoever comes next. So who sends most is refused first.
 */
export function createAdmission(): Admission {
  const underWay = new Map<string, number>();
  let total = 0;
  let isShedding = false;
  /** How much longer it was late than not, in milliseconds. */
  let lateFor = 0;
  let lastRefusal = Number.NEGATIVE_INFINITY;
  let lastBeat = performance.now();
  let lastLook = lastBeat;

  // Under load timers starve for seconds while requests are taken in, so each request looks too.
  function look(now: number): void {
    const isLate = now - lastBeat > beatMs + lateMs;
    lateFor = Math.min(burstMs, Math.max(0, lateFor + (isLate ? now - lastLook : lastLook - now)));
    lastLook = now;
    if (lateFor === burstMs) isShedding = true;
    else if (lateFor === 0 && now - lastRefusal > calmMs) isShedding = false;
  }

  const heart = setInterval(() => {
    look(performance.now());
    lastBeat = lastLook;
  }, beatMs);
  heart.unref();

  function enter(sender: string): () => void {
    total += 1;
    underWay.set(sender, (underWay.get(sender) ?? 0) + 1);
    return () => {
      total -= 1;
      const left = (underWay.get(sender) ?? 0) - 1;
      if (left > 0) underWay.set(sender, left);
      else underWay.delete(sender);
    };
  }

  return {
    admit({ headers }) {
      const sender = headers.get("authorization") ?? "";
      const now = performance.now();
      look(now);
      const share = Math.max(1, limit / (underWay.size + 1));
      if (isShedding && (total >= limit || (underWay.get(sender) ?? 0) >= share)) {
        lastRefusal = now;
        return undefined;
      }
      return enter(sender);
    },
    stop: () => clearInterval(heart),
  };
}
