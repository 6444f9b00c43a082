/** Answers that are awaited by key, each for the same bounded time. */
type Waiters<Key, Answer> = Readonly<{
  /** @param late makes the answer if none came in time */
  wait(key: Key, late: () => Answer): Promise<Answer>;
  /**
   * Answers the waiter of the key, if there is one. An answer that comes after the time is late, also if a frozen
   * process reads it before its timers run: it may tell what another worker saw while the first one committed.
   */
  settle(key: Key, answer: Answer): void;
}>;

type Waiter<Answer> = Readonly<{ until: number; late(): Answer; resolve(answer: Answer): void }>;

/**
 * One timer serves all, because they end in the order in which they began. It ends all that are due before any of their
 * callers goes on, so that no command leaves only to be late.
 */
export function createWaiters<Key, Answer>(timeoutMs: number): Waiters<Key, Answer> {
  const waiting = new Map<Key, Waiter<Answer>>();
  let isTimed = false;

  function settle(key: Key, answer?: Answer): void {
    const waiter = waiting.get(key);
    if (!waiter) return;
    waiting.delete(key);
    const isLate = answer === undefined || waiter.until <= performance.now();
    waiter.resolve(isLate ? waiter.late() : answer);
  }

  function expire(): void {
    isTimed = false;
    for (const [key, { until }] of waiting) {
      if (until > performance.now()) {
        expireAt(until);
        return;
      }
      settle(key);
    }
  }

  function expireAt(until: number): void {
    isTimed = true;
    setTimeout(expire, Math.max(0, until - performance.now())).unref();
  }

  return {
    wait: (key, late) =>
      new Promise((resolve) => {
        const until = performance.now() + timeoutMs;
        waiting.set(key, { until, late, resolve });
        if (!isTimed) expireAt(until);
      }),
    settle,
  };
}
