import { expect, test } from "bun:test";
import { liveHabit } from "./in-memory.ts";

const dayMs = 86_400_000;

/** The traffic between a worker and PostgreSQL while a deletion is undone, and while that undo is undone. */
async function trafficOfUndo(days: number) {
  const { place, send, changes, undo } = await liveHabit(Date.parse("2026-01-01T10:00:00Z"), {
    frequency: "daily",
  });
  for (let day = 0; day < days; day++) {
    place.clock.now += dayMs;
    await send("complete");
  }
  const names = async () => [...(await place.rows()).keys()].sort();
  const whole = await names();
  await send("delete");
  const undoLast = async () => {
    const before = place.traffic();
    await undo((await changes()).at(-1));
    return place.traffic() - before;
  };
  const back = await undoLast();
  expect(await names()).toEqual(whole);
  const gone = await undoLast();
  expect(await names()).toEqual([]);
  return { back, gone };
}

test("a habit comes back and goes again without its completions passing through a worker", async () => {
  const [short, long] = [await trafficOfUndo(20), await trafficOfUndo(200)];
  // A few images and rows have the days of the habit, one character a day.
  const room = 1_200;
  expect(long.back).toBeLessThan(short.back + room);
  expect(long.gone).toBeLessThan(short.gone + room);
});
