import type { Call } from "./world.ts";
import { type Written, writeUntil } from "./writer.ts";

const writers = 12;

type WrittenThrough = Readonly<{
  /** The titles of acknowledged todos, sorted. */
  created: readonly string[];
  /** Answers that no failure excuses. */
  wrong: readonly string[];
  written: readonly Written[];
  /** The longest time in which nobody got an acknowledgement (ms). */
  longestGapMs: number;
}>;

/** Twelve careful clients write while `disturb` runs and a moment before and after. */
export async function writeThrough(call: Call, disturb: () => Promise<void>): Promise<WrittenThrough> {
  const acknowledgedAt: number[] = [];
  const noting: Call = async (...request) => {
    const answer = await call(...request);
    if (answer.status < 300) acknowledgedAt.push(performance.now());
    return answer;
  };
  let over = false;
  const writing = Array.from({ length: writers }, (_, writer) => writeUntil(noting, writer, () => over));
  await Bun.sleep(1_500);
  await disturb();
  await Bun.sleep(1_500);
  over = true;
  const written = await Promise.all(writing);
  const gaps = acknowledgedAt.slice(1).map((at, index) => at - (acknowledgedAt[index] ?? at));
  return {
    created: written.flatMap(({ created }) => created).sort(),
    wrong: written.flatMap(({ wrong }) => wrong),
    written,
    longestGapMs: Math.max(...gaps),
  };
}
