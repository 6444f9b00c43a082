import { availableParallelism } from "node:os";
import { createTurns } from "../../../../shared/process/turns.ts";

/** Hashing takes a processor and 19 MB of memory for some hundredths of a second, so half the processors stay free. */
export const hashedAtOnce = Math.max(1, Math.floor(availableParallelism() / 2));

const turns = createTurns({ atOnce: hashedAtOnce });

/** Hashes few passwords at a time. Accounts take turns, so that one with many attempts delays nobody else. */
export const inHashingTurn = <Result>(email: string, hash: () => Promise<Result>): Promise<Result> =>
  turns.run(email, hash, hash);

const checks = createTurns({ atOnceOfKey: 1 });
const restsFor = 3;

/**
 * Checks a password of an account. Right ones use up no attempts, so after each the account rests for three times as long
 * as that took: they take a quarter of a processor at most.
 */
export async function checkInTurn(email: string, check: () => Promise<boolean>): Promise<boolean> {
  const leave = await checks.take(email);
  const began = performance.now();
  let restMs = 0;
  try {
    const isRight = await inHashingTurn(email, check);
    if (isRight) restMs = restsFor * (performance.now() - began);
    return isRight;
  } finally {
    if (leave) setTimeout(leave, restMs);
  }
}
