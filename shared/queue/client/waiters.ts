/** Answers that are awaited by key, each for a bounded time. */
export type Waiters<Key, Answer> = Readonly<{
  /** @param late makes the answer when none came in time */
  wait(key: Key, timeoutMs: number, late: () => Answer): Promise<Answer>;
  /** Answers whoever waits for the key; does nothing when nobody is waiting. */
  settle(key: Key, answer: Answer): void;
}>;

export function createWaiters<Key, Answer>(): Waiters<Key, Answer> {
  const waiting = new Map<Key, (answer: Answer) => void>();
  return {
    wait: (key, timeoutMs, late) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => waiting.get(key)?.(late()), timeoutMs);
        waiting.set(key, (answer) => {
          clearTimeout(timer);
          waiting.delete(key);
          resolve(answer);
        });
      }),
    settle: (key, answer) => waiting.get(key)?.(answer),
  };
}
