import { expect } from "bun:test";
import type { SQL } from "bun";
import type { Roles } from "./roles.ts";
import { type Call, callDoors } from "./world.ts";
import { expectExactlyOnce, type Written, writeUntil } from "./writer.ts";

const writers = 12;
const momentMs = 500;

export type WrittenThrough = Readonly<{
  /** The titles of acknowledged todos. */
  created: readonly string[];
  written: readonly Written[];
  /** The longest time in which nobody got an acknowledgement (ms). */
  longestGapMs: number;
}>;

/** Twelve careful clients of one new user write while `disturb` runs, and a moment before and after. */
export async function writeThrough(call: Call, disturb: () => Promise<void>): Promise<WrittenThrough> {
  const acknowledgedAt: number[] = [];
  const noting: Call = async (...request) => {
    const answer = await call(...request);
    if (answer.status < 300) acknowledgedAt.push(performance.now());
    return answer;
  };
  let over = false;
  const writing = Array.from({ length: writers }, (_, writer) => writeUntil(noting, writer, () => over));
  await Bun.sleep(momentMs);
  await disturb();
  await Bun.sleep(momentMs);
  over = true;
  const written = await Promise.all(writing);
  const gaps = acknowledgedAt.slice(1).map((at, index) => at - (acknowledgedAt[index] ?? at));
  return {
    created: written.flatMap(({ created }) => created),
    written,
    longestGapMs: Math.max(...gaps),
  };
}

type Rounds = Readonly<{ name: string; most: number; longestGapMs: number; disturb(): Promise<void> }>;

/**
 * Writes while `disturb` runs, and again while the gap was too long, because a machine that stalls makes it longer. What
 * is lost counts in each round.
 */
export async function writeInRounds({ baseUrls, issuer }: Roles, rounds: Rounds): Promise<WrittenThrough[]> {
  const { name, most, longestGapMs, disturb } = rounds;
  const times: WrittenThrough[] = [];
  const shortest = () => Math.min(...times.map((time) => time.longestGapMs));
  while (times.length < most && shortest() > longestGapMs) {
    const token = await issuer.token({ sub: crypto.randomUUID() });
    const time = await writeThrough(callDoors(baseUrls, token), disturb);
    times.push(time);
    const gap = Math.round(time.longestGapMs);
    console.log(`${name}: ${time.created.length} acknowledged, longest gap ${gap} ms`);
  }
  expect(shortest()).toBeLessThanOrEqual(longestGapMs);
  return times;
}

/** All acknowledged writes of these times are stored once, and none was refused; `sql` is the database. */
export async function expectNothingLost(sql: SQL, times: readonly WrittenThrough[]): Promise<void> {
  const rows = await sql`select id, title, is_completed from todos`;
  expectExactlyOnce(
    rows,
    times.flatMap(({ written }) => written),
  );
}
