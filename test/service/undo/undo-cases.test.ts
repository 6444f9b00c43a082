import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { startStack } from "../../harness.ts";
import { type Act, lives, type Regret, type Step, type Who } from "./model/acts.ts";
import { openWorlds } from "./model/on-the-stack.ts";
import { regretFaults } from "./model/regrets.ts";
import { type History, live } from "./model/world.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => worlds.close());
const worlds = await openWorlds(await startStack());

/** PostgreSQL's clock rings reminders, and must not reach theirs. */
const start = "2090-03-24T10:00:00Z";

const by = (who: Who, minutes: number, act: Act): Step => ({ who, minutes, act });
const recurring = { title: "t", recurrence: "FREQ=DAILY" };
const inCategory = { category: { category: 0, byName: false } };
const together: Regret = { who: "rest", count: 40, chunks: [40], preview: true, twice: true, minutes: 0 };
const oneByOne: Regret = { ...together, chunks: [1] };
const newHabit = by("rest", 1, {
  do: "habit.create",
  fields: { name: "h", type: "good", frequency: "daily" },
});

const cases: readonly [string, Regret, readonly Step[]][] = [
  [
    "a completion that settles with its undo",
    oneByOne,
    [
      by("rest", 60, { do: "habit.complete", which: 0, back: 1 }),
      by("mcp", 9 * 1_440, { do: "habit.complete", which: 0, back: 0 }),
    ],
  ],
  [
    "a completion that was undone and that somebody made again",
    { ...oneByOne, count: 2 },
    [
      by("rest", 1, { do: "habit.complete", which: 0, back: 0 }),
      by("rest", 1, { do: "habit.undo", which: 0, back: 0 }),
      by("mcp", 1, { do: "habit.complete", which: 0, back: 0 }),
    ],
  ],
  [
    "a habit that comes and goes with its completion by one command",
    together,
    [
      newHabit,
      by("rest", 1, { do: "habit.complete", which: 1, back: 0 }),
      by("rest", 1, { do: "habit.delete", which: 1 }),
    ],
  ],
  [
    "a category that comes and goes with its member by one command",
    together,
    [
      by("rest", 1, { do: "category.create", fields: { name: "k" } }),
      by("rest", 1, { do: "todo.update", which: 0, fields: { category: { category: 1, byName: false } } }),
      by("rest", 1, { do: "category.delete", which: 1 }),
    ],
  ],
  [
    "a member that leaves its category by the command that brings that back",
    together,
    [
      by("rest", 1, { do: "habit.update", which: 0, fields: inCategory }),
      by("rest", 1, { do: "category.delete", which: 0 }),
    ],
  ],
  [
    "a todo whose category somebody deleted",
    oneByOne,
    [
      by("rest", 1, { do: "todo.create", fields: { title: "t", ...inCategory } }),
      by("rest", 1, { do: "todo.delete", which: 1 }),
      by("mcp", 1, { do: "category.delete", which: 0 }),
    ],
  ],
  [
    "a recurring todo whose successor somebody changed",
    oneByOne,
    [
      by("rest", 1, { do: "todo.create", fields: recurring }),
      by("rest", 1, { do: "todo.toggle", which: 1, to: true }),
      by("mcp", 1, { do: "todo.update", which: 2, fields: { title: "u" } }),
    ],
  ],
];

test.each(cases)("taken back, brought back and taken back again: %s", async (_, regret, steps) => {
  const place = worlds.newWorld();
  const history: History = [];
  await live(place, history, { start, zone: "Europe/Berlin", steps: [...steps] });
  expect(await regretFaults(place, history, regret)).toEqual([]);
});

/** This is test/service/undo/model/lives.test.ts on the real service; there, a thousand lives run on rows in memory. */
const seed = Number(Bun.env.LIVES_SEED ?? 21);

test(`what an agent did is taken back out of lives on the real service (LIVES_SEED=${seed})`, async () => {
  const property = fc.asyncProperty(lives(5, 25), async (life) => {
    const place = worlds.newWorld();
    const history: History = [];
    await live(place, history, { ...life, start });
    expect(await regretFaults(place, history, life.regret)).toEqual([]);
  });
  await fc.assert(property, {
    numRuns: 12,
    seed,
    includeErrorInReport: true,
    interruptAfterTimeLimit: 240_000,
  });
}, 300_000);
