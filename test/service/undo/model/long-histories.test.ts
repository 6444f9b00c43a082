import { expect, test } from "bun:test";
import { inMemory } from "./in-memory.ts";
import { isChange, keyOf } from "./world.ts";

const dayMs = 86_400_000;

/** The traffic between a worker and PostgreSQL while a deletion is undone, and while that undo is undone. */
async function trafficOfUndo(days: number) {
  const system = inMemory();
  system.clock.now = Date.parse("2026-01-01T10:00:00Z");
  const send = async (name: string, input: object) => {
    system.clock.now += 1;
    return system.send("page", { name, input } as never);
  };
  await send("habit.create", { name: "Read", frequency: "daily" });
  const [habit] = [...(await system.rows()).values()];
  for (let day = 0; day < days; day++) {
    system.clock.now += dayMs;
    await send("habit.complete", { habit_id: habit?.id });
  }
  const whole = await system.rows();
  await send("habit.delete", { habit_id: habit?.id });
  const undoLast = async () => {
    const actions = (await system.log()).filter(isChange).slice(-1).map(keyOf);
    const before = system.traffic();
    await send("action.undo", { actions });
    return system.traffic() - before;
  };
  const back = await undoLast();
  expect([...(await system.rows()).keys()].sort()).toEqual([...whole.keys()].sort());
  const gone = await undoLast();
  expect((await system.rows()).size).toBe(0);
  return { back, gone };
}

test("a habit comes back and goes again without its completions passing through a worker", async () => {
  const [short, long] = [await trafficOfUndo(20), await trafficOfUndo(200)];
  // A few images and rows have the days of the habit, one character a day.
  const room = 1_200;
  expect(long.back).toBeLessThan(short.back + room);
  expect(long.gone).toBeLessThan(short.gone + room);
});
