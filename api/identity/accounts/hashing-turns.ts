import { availableParallelism } from "node:os";

/** A password takes a processor and 19 MB of memory for some hundredths of a second; half of them stay for others. */
export const hashedAtOnce = Math.max(1, Math.floor(availableParallelism() / 2));

const lines = new Map<string, (() => void)[]>();
let running = 0;

/** Hashes few passwords at a time. Accounts take turns, so that the many of one delay nobody else. */
export async function inHashingTurn<Result>(email: string, hash: () => Promise<Result>): Promise<Result> {
  if (running < hashedAtOnce) running += 1;
  else await new Promise<void>((begin) => lines.set(email, [...(lines.get(email) ?? []), begin]));
  try {
    return await hash();
  } finally {
    passOn();
  }
}

/** The line whose turn is longest ago comes first, and afterwards goes to the end. */
function passOn(): void {
  const [first] = lines;
  if (!first) {
    running -= 1;
    return;
  }
  const [email, [begin, ...others]] = first;
  lines.delete(email);
  if (others.length > 0) lines.set(email, others);
  begin?.();
}
