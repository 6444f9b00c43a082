import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { useStack } from "../../harness.ts";
import { type Act, lives, type Step, type UndoPlan, type Who } from "./model/acts.ts";
import { openWorlds } from "./model/on-the-stack.ts";
import { undoFaults } from "./model/undo-faults.ts";
import { type History, live } from "./model/world.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => worlds.close());
const worlds = await openWorlds(await useStack());

/** PostgreSQL's clock rings reminders, and must not reach theirs. */
const start = "2090-03-24T10:00:00Z";

const by = (who: Who, minutes: number, act: Act): Step => ({ who, minutes, act });
const recurring = { title: "t", recurrence: "FREQ=DAILY" };
const inCategory = { category: { category: 0, byName: false } };
const together: UndoPlan = { who: "rest", count: 40, chunks: [40], preview: true, twice: true, minutes: 0 };
const oneByOne: UndoPlan = { ...together, chunks: [1] };
const anyHabit = { name: "h", type: "good", frequency: "daily" };
const newHabit = by("rest", 1, { do: "habit.create", fields: anyHabit });

/** An agent completes a recurring todo by a group that does more, and its person undoes the completion alone. */
const doneInGroup: readonly Step[] = [
  by("rest", 1, { do: "todo.create", fields: recurring }),
  {
    ...{ who: "rest", minutes: 1, atomic: false },
    group: [
      { do: "todo.toggle", which: 1, to: true },
      { do: "todo.create", fields: { title: "u" } },
    ],
  },
];
const undoOfIt = by("page", 1, { do: "action.undo", which: 4, count: 1 });

const cases: readonly [string, UndoPlan, readonly Step[]][] = [
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
    "a todo whose creation and deletion somebody undid together, by an agent that did more",
    together,
    [
      {
        ...{ who: "rest", minutes: 1, atomic: false },
        group: [
          { do: "todo.delete", which: 0 },
          { do: "todo.create", fields: { title: "u" } },
        ],
      },
      by("page", 1, { do: "action.undo", which: 2, count: 2 }),
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
    "a habit that moved out of a category that somebody deleted then",
    oneByOne,
    [
      by("mcp", 1, { do: "category.create", fields: { name: "k" } }),
      by("rest", 1, { do: "habit.create", fields: { ...anyHabit, ...inCategory } }),
      by("rest", 1, {
        do: "habit.update",
        which: 1,
        fields: { category: { category: 1, byName: false } },
      }),
      by("mcp", 1, { do: "category.delete", which: 0 }),
    ],
  ],
  [
    "a habit that moved into a category that somebody deleted then",
    oneByOne,
    [
      by("mcp", 1, { do: "category.create", fields: { name: "k" } }),
      by("rest", 1, { do: "habit.create", fields: { ...anyHabit, ...inCategory } }),
      by("rest", 1, {
        do: "habit.update",
        which: 1,
        fields: { category: { category: 1, byName: false } },
      }),
      by("rest", 1, { do: "habit.delete", which: 1 }),
      by("mcp", 1, { do: "category.delete", which: 1 }),
    ],
  ],
  [
    "a todo that is opened again beside a reminder that somebody set",
    { ...together, who: "mcp", count: 2 },
    [
      by("mcp", 1, { do: "todo.toggle", which: 0, to: true }),
      by("mcp", 1, { do: "todo.create", fields: { title: "u" } }),
      by("rest", 1, { do: "todo.update", which: 0, fields: { recurrence: "FREQ=DAILY" } }),
      by("mcp", 1, { do: "todo.toggle", which: 0, to: false }),
      by("rest", 1, { do: "reminder.set", which: 0, at: { hours: 9, wall: true } }),
      by("mcp", 1, { do: "todo.update-many", whiches: [0, 1], fields: { due_date: { days: 3 } } }),
      by("rest", 1, { do: "todo.delete", which: 1 }),
    ],
  ],
  [
    "a todo whose completion left a successor that an earlier one had made",
    { ...together, who: "mcp", count: 2, chunks: [2] },
    [
      by("mcp", 1, { do: "todo.create", fields: recurring }),
      by("mcp", 1, { do: "todo.toggle", which: 1, to: true }),
      by("rest", 1, { do: "todo.update", which: 2, fields: {} }),
      by("rest", 1, { do: "todo.toggle", which: 1, to: false }),
      by("rest", 1, { do: "todo.update", which: 1, fields: { recurrence: null } }),
      by("mcp", 1, { do: "todo.toggle", which: 1, to: true }),
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
  [
    "a recurring todo that was opened and completed again, whose second successor somebody changed",
    { ...oneByOne, count: 2 },
    [
      by("rest", 1, { do: "todo.create", fields: recurring }),
      by("page", 1, { do: "todo.toggle", which: 1, to: true }),
      by("rest", 1, { do: "todo.toggle", which: 1, to: false }),
      by("rest", 1, { do: "todo.toggle", which: 1, to: true }),
      by("mcp", 1, { do: "todo.update", which: 2, fields: { title: "u" } }),
    ],
  ],
  [
    "a member of two categories that were deleted one after the other",
    oneByOne,
    [
      by("rest", 1, { do: "todo.create", fields: { title: "t", ...inCategory } }),
      by("rest", 1, { do: "category.create", fields: { name: "l" } }),
      by("rest", 1, { do: "category.delete", which: 0 }),
      by("rest", 1, { do: "todo.update", which: 1, fields: inCategory }),
      by("rest", 1, { do: "category.delete", which: 0 }),
    ],
  ],
  [
    "two changes of a title after which somebody gave it what the first had given",
    { ...together, count: 2 },
    [
      by("mcp", 1, { do: "todo.update", which: 0, fields: { title: "u" } }),
      by("rest", 1, { do: "todo.update", which: 0, fields: { title: "t" } }),
      by("rest", 1, { do: "todo.update", which: 0, fields: { title: "u" } }),
      by("page", 1, { do: "todo.update", which: 0, fields: { title: "t" } }),
    ],
  ],
  [
    "a change of two titles, one of them changed again, after one with the same outcome",
    { ...together, who: "mcp", count: 2 },
    [
      by("rest", 1, { do: "todo.create", fields: { title: "w" } }),
      by("rest", 1, { do: "todo.update", which: 0, fields: { title: "u" } }),
      by("mcp", 1, { do: "todo.update", which: 0, fields: { title: "t" } }),
      by("rest", 1, { do: "todo.update", which: 0, fields: { title: "u" } }),
      by("mcp", 1, { do: "todo.update-many", whiches: [0, 1], fields: { title: "t" } }),
      by("rest", 1, { do: "todo.update", which: 1, fields: { title: "v" } }),
    ],
  ],
  [
    "a reminder that was cleared and set anew, and that somebody moved",
    { ...oneByOne, who: "mcp", count: 2 },
    [
      by("rest", 1, { do: "reminder.set", which: 0, at: { hours: 9, wall: false } }),
      by("mcp", 1, { do: "reminder.clear", which: 0 }),
      by("mcp", 1, { do: "reminder.set", which: 0, at: { hours: 9, wall: false } }),
      by("rest", 1, { do: "reminder.set", which: 0, at: { hours: 10, wall: false } }),
    ],
  ],
  [
    "a reminder whose todo became recurring and was deleted, before somebody moved to another zone",
    { ...oneByOne, who: "mcp", count: 2 },
    [
      by("mcp", 1, { do: "reminder.set", which: 0, at: { hours: 66, wall: false } }),
      by("mcp", 1, { do: "todo.update", which: 0, fields: { recurrence: "FREQ=WEEKLY;BYDAY=MO,TH" } }),
      by("mcp", 1, { do: "todo.delete", which: 0 }),
      by("page", 1, { do: "user.configure", fields: { time_zone: "America/New_York" } }),
    ],
  ],
  [
    "a deleted successor whose completion somebody undid before, by an agent that did more",
    { ...oneByOne, count: 3 },
    [...doneInGroup, by("rest", 1, { do: "todo.delete", which: 2 }), undoOfIt],
  ],
  [
    "a deleted todo whose completion somebody undid before, by an agent that did more",
    { ...oneByOne, count: 3 },
    [...doneInGroup, by("rest", 1, { do: "todo.delete", which: 1 }), undoOfIt],
  ],
  [
    "a recurring todo that was done and opened again, and that somebody opened beside a kept successor",
    oneByOne,
    [
      by("rest", 1, { do: "todo.create", fields: recurring }),
      by("rest", 1, { do: "todo.toggle", which: 1, to: true }),
      by("rest", 1, { do: "todo.toggle", which: 1, to: false }),
      by("page", 1, { do: "todo.toggle", which: 1, to: true }),
      by("rest", 1, { do: "todo.update", which: 2, fields: {} }),
      by("mcp", 1, { do: "todo.toggle", which: 1, to: false }),
    ],
  ],
];

test.each(cases)("taken back, brought back and taken back again: %s", async (_, plan, steps) => {
  const system = worlds.newWorld();
  const history: History = [];
  await live(system, history, { start, zone: "Europe/Berlin", steps: [...steps] });
  expect(await undoFaults(system, history, plan)).toEqual([]);
});

/** This is test/service/undo/model/lives.test.ts on the real service; a thousand lives run there on rows in memory. */
const seed = Number(Bun.env.LIVES_SEED ?? 21);

test(`what an agent did is taken back out of lives on the real service (LIVES_SEED=${seed})`, async () => {
  const property = fc.asyncProperty(lives(5, 25), async (life) => {
    const system = worlds.newWorld();
    const history: History = [];
    await live(system, history, { ...life, start });
    expect(await undoFaults(system, history, life.plan)).toEqual([]);
  });
  await fc.assert(property, {
    numRuns: 12,
    seed,
    includeErrorInReport: true,
    interruptAfterTimeLimit: 240_000,
  });
}, 300_000);
