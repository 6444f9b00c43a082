import { availableParallelism } from "node:os";
import { createTurns } from "../../../../shared/process/turns.ts";

/** Hashing takes a processor and 19 MB of memory for some hundredths of a second, so half the processors stay free. */
export const hashedAtOnce = Math.max(1, Math.floor(availableParallelism() / 2));

const turns = createTurns({ atOnce: hashedAtOnce });

/** Hashes few passwords at a time. Accounts take turns, so that one with many attempts delays nobody else. */
export async function inHashingTurn<Result>(email: string, hash: () => Promise<Result>): Promise<Result> {
  const end = await turns.take(email);
  try {
    return await hash();
  } finally {
    end?.();
  }
}
