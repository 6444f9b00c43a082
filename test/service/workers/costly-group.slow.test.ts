import { expect, test } from "bun:test";
import { useStack } from "../../harness.ts";

const { rest } = await useStack();

/** One of the costliest rules: a successor takes some two milliseconds. */
const recurrence = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYMONTH=2;BYSETPOS=-7;COUNT=1000";
const operations = Array.from({ length: 25 }, (_, n) => [
  { method: "POST", path: "/todos", body: { title: "Leap", due_date: "2024-03-01", recurrence } },
  { method: "POST", path: `/todos/$${2 * n}.id/toggle` },
]).flat();

/** @returns the most processor time, in ms, for which this process let nothing else run meanwhile */
async function longestTurn(work: () => Promise<void>): Promise<number> {
  let [longest, isOver] = [0, false];
  const watched = (async () => {
    while (!isOver) {
      const before = process.cpuUsage();
      await new Promise(setImmediate);
      const { user, system } = process.cpuUsage(before);
      longest = Math.max(longest, (user + system) / 1_000);
    }
  })();
  await work();
  isOver = true;
  await watched;
  return longest;
}

test.each([false, true])(
  "a group of costly operations lets others run in between, atomic: %p",
  async (atomic) => {
    const turns: number[] = [];
    for (let n = 0; n < 4; n++)
      turns.push(
        await longestTurn(async () => {
          const { status, body } = await rest("POST", "/batch", { body: { atomic, operations } });
          expect([status, body.results.at(-1).status]).toEqual([200, 200]);
        }),
      );
    // The first ones compile the code.
    expect(Math.min(...turns)).toBeLessThan(40);
  },
);
