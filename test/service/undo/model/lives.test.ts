import { expect, test } from "bun:test";
import fc from "fast-check";
import { lives } from "./acts.ts";
import { inMemory } from "./in-memory.ts";
import { undoFaults } from "./undo-faults.ts";
import { type History, live, reading } from "./world.ts";

/** `LIVES=20000 LIVES_SEED=7 bun test test/service/undo/model` runs more lives, or the same again. */
const numRuns = Number(Bun.env.LIVES ?? 120);
const seed = Number(Bun.env.LIVES_SEED ?? 21);

test(`what an agent did is taken back out of any life, and nothing else (LIVES_SEED=${seed})`, async () => {
  const property = fc.asyncProperty(lives(5, 40), async (life) => {
    const history: History = [];
    const system = reading(inMemory());
    await live(system, history, life);
    expect(await undoFaults(system, history, life.plan)).toEqual([]);
  });
  await fc.assert(property, { numRuns, seed, includeErrorInReport: true });
}, 3_600_000);
