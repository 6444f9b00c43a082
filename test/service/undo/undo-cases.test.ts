import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Act, type Life, lives, type Step, type UndoPlan, type Who } from "./model/acts.ts";
import { openWorlds } from "./model/on-service.ts";
import { undoFaults } from "./model/undo-faults.ts";
import { type History, live, reading } from "./model/world.ts";

const newWorld = await openWorlds();

/** PostgreSQL's clock rings reminders, and must not reach theirs. */
const start = "2090-03-24T10:00:00Z";

/** A minute after the last one, somebody acts. */
const by =
  (who: Who) =>
  (act: Act, minutes = 1): Step => ({ who, minutes, act });
const group = (...acts: Act[]): Step => ({ who: "rest", minutes: 1, atomic: false, group: acts });
const [rest, mcp, page] = [by("rest"), by("mcp"), by("page")];
const recurring = { title: "t", recurrence: "FREQ=DAILY" };
const inCategory = { category: { category: 0, byName: false } };
const inSecond = { category: { category: 1, byName: false } };
const together: UndoPlan = { who: "rest", count: 40, chunks: [40], preview: true, twice: true, minutes: 0 };
const oneByOne: UndoPlan = { ...together, chunks: [1] };
const anyHabit = { name: "h", type: "good", frequency: "daily" };
const newHabit = rest({ do: "habit.create", fields: anyHabit });

/** An agent completes a recurring todo by a group that does more, and its person undoes the completion alone. */
const doneInGroup: readonly Step[] = [
  rest({ do: "todo.create", fields: recurring }),
  group({ do: "todo.toggle", which: 1, to: true }, { do: "todo.create", fields: { title: "u" } }),
];
const undoOfIt = page({ do: "action.undo", which: 4, count: 1 });

const cases: Readonly<Record<string, readonly [UndoPlan, ...Step[]]>> = {
  "a completion that settles with its undo": [
    oneByOne,
    rest({ do: "habit.complete", which: 0, back: 1 }, 60),
    mcp({ do: "habit.complete", which: 0, back: 0 }, 9 * 1_440),
  ],
  "a completion that was undone and that somebody made again": [
    { ...oneByOne, count: 2 },
    rest({ do: "habit.complete", which: 0, back: 0 }),
    rest({ do: "habit.undo", which: 0, back: 0 }),
    mcp({ do: "habit.complete", which: 0, back: 0 }),
  ],
  "a habit that comes and goes with its completion by one command": [
    together,
    newHabit,
    rest({ do: "habit.complete", which: 1, back: 0 }),
    rest({ do: "habit.delete", which: 1 }),
  ],
  "a habit with its whole life": [
    { ...together, count: 7 },
    newHabit,
    rest({ do: "habit.update", which: 1, fields: { name: "i" } }),
    rest({ do: "habit.complete", which: 1, back: 0 }),
    rest({ do: "habit.undo", which: 1, back: 0 }),
    rest({ do: "habit.complete", which: 1, back: 0 }),
    rest({ do: "habit.update", which: 1, fields: { frequency: "weekly" } }),
    rest({ do: "habit.delete", which: 1 }),
  ],
  "a todo whose creation and deletion somebody undid together, by an agent that did more": [
    together,
    group({ do: "todo.delete", which: 0 }, { do: "todo.create", fields: { title: "u" } }),
    page({ do: "action.undo", which: 2, count: 2 }),
  ],
  "a category that comes and goes with its member by one command": [
    together,
    rest({ do: "category.create", fields: { name: "k" } }),
    rest({ do: "todo.update", which: 0, fields: inSecond }),
    rest({ do: "category.delete", which: 1 }),
  ],
  "a member that leaves its category by the command that brings that back": [
    together,
    rest({ do: "habit.update", which: 0, fields: inCategory }),
    rest({ do: "category.delete", which: 0 }),
  ],
  "a todo whose category somebody deleted": [
    oneByOne,
    rest({ do: "todo.create", fields: { title: "t", ...inCategory } }),
    rest({ do: "todo.delete", which: 1 }),
    mcp({ do: "category.delete", which: 0 }),
  ],
  "a habit that moved out of a category that somebody deleted then": [
    oneByOne,
    mcp({ do: "category.create", fields: { name: "k" } }),
    rest({ do: "habit.create", fields: { ...anyHabit, ...inCategory } }),
    rest({ do: "habit.update", which: 1, fields: inSecond }),
    mcp({ do: "category.delete", which: 0 }),
  ],
  "a habit that moved into a category that somebody deleted then": [
    oneByOne,
    mcp({ do: "category.create", fields: { name: "k" } }),
    rest({ do: "habit.create", fields: { ...anyHabit, ...inCategory } }),
    rest({ do: "habit.update", which: 1, fields: inSecond }),
    rest({ do: "habit.delete", which: 1 }),
    mcp({ do: "category.delete", which: 1 }),
  ],
  "a todo that is opened again beside a reminder that somebody set": [
    { ...together, who: "mcp", count: 2 },
    mcp({ do: "todo.toggle", which: 0, to: true }),
    mcp({ do: "todo.create", fields: { title: "u" } }),
    rest({ do: "todo.update", which: 0, fields: { recurrence: "FREQ=DAILY" } }),
    mcp({ do: "todo.toggle", which: 0, to: false }),
    rest({ do: "reminder.set", which: 0, at: { hours: 9, wall: true } }),
    mcp({ do: "todo.update", whiches: [0, 1], fields: { due_date: { days: 3 } } }),
    rest({ do: "todo.delete", which: 1 }),
  ],
  "a todo whose completion left a successor that an earlier one had made": [
    { ...together, who: "mcp", count: 2, chunks: [2] },
    mcp({ do: "todo.create", fields: recurring }),
    mcp({ do: "todo.toggle", which: 1, to: true }),
    rest({ do: "todo.update", which: 2, fields: {} }),
    rest({ do: "todo.toggle", which: 1, to: false }),
    rest({ do: "todo.update", which: 1, fields: { recurrence: null } }),
    mcp({ do: "todo.toggle", which: 1, to: true }),
  ],
  "a recurring todo whose successor somebody changed": [
    oneByOne,
    rest({ do: "todo.create", fields: recurring }),
    rest({ do: "todo.toggle", which: 1, to: true }),
    mcp({ do: "todo.update", which: 2, fields: { title: "u" } }),
  ],
  "a recurring todo that was opened and completed again, whose second successor somebody changed": [
    { ...oneByOne, count: 2 },
    rest({ do: "todo.create", fields: recurring }),
    page({ do: "todo.toggle", which: 1, to: true }),
    rest({ do: "todo.toggle", which: 1, to: false }),
    rest({ do: "todo.toggle", which: 1, to: true }),
    mcp({ do: "todo.update", which: 2, fields: { title: "u" } }),
  ],
  "a member of two categories that were deleted one after the other": [
    oneByOne,
    rest({ do: "todo.create", fields: { title: "t", ...inCategory } }),
    rest({ do: "category.create", fields: { name: "l" } }),
    rest({ do: "category.delete", which: 0 }),
    rest({ do: "todo.update", which: 1, fields: inCategory }),
    rest({ do: "category.delete", which: 0 }),
  ],
  "two changes of a title after which somebody gave it what the first had given": [
    { ...together, count: 2 },
    mcp({ do: "todo.update", which: 0, fields: { title: "u" } }),
    rest({ do: "todo.update", which: 0, fields: { title: "t" } }),
    rest({ do: "todo.update", which: 0, fields: { title: "u" } }),
    page({ do: "todo.update", which: 0, fields: { title: "t" } }),
  ],
  "a change of two titles, one of them changed again, after one with the same outcome": [
    { ...together, who: "mcp", count: 2 },
    rest({ do: "todo.create", fields: { title: "w" } }),
    rest({ do: "todo.update", which: 0, fields: { title: "u" } }),
    mcp({ do: "todo.update", which: 0, fields: { title: "t" } }),
    rest({ do: "todo.update", which: 0, fields: { title: "u" } }),
    mcp({ do: "todo.update", whiches: [0, 1], fields: { title: "t" } }),
    rest({ do: "todo.update", which: 1, fields: { title: "v" } }),
  ],
  "a reminder that was cleared and set anew, and that somebody moved": [
    { ...oneByOne, who: "mcp", count: 2 },
    rest({ do: "reminder.set", which: 0, at: { hours: 9, wall: false } }),
    mcp({ do: "reminder.clear", which: 0 }),
    mcp({ do: "reminder.set", which: 0, at: { hours: 9, wall: false } }),
    rest({ do: "reminder.set", which: 0, at: { hours: 10, wall: false } }),
  ],
  "a reminder whose todo became recurring and was deleted, before somebody moved to another zone": [
    { ...oneByOne, who: "mcp", count: 2 },
    mcp({ do: "reminder.set", which: 0, at: { hours: 66, wall: false } }),
    mcp({ do: "todo.update", which: 0, fields: { recurrence: "FREQ=WEEKLY;BYDAY=MO,TH" } }),
    mcp({ do: "todo.delete", which: 0 }),
    page({ do: "user.configure", fields: { time_zone: "America/New_York" } }),
  ],
  "a deleted successor whose completion somebody undid before, by an agent that did more": [
    { ...oneByOne, count: 3 },
    ...doneInGroup,
    rest({ do: "todo.delete", which: 2 }),
    undoOfIt,
  ],
  "a deleted todo whose completion somebody undid before, by an agent that did more": [
    { ...oneByOne, count: 3 },
    ...doneInGroup,
    rest({ do: "todo.delete", which: 1 }),
    undoOfIt,
  ],
  "a recurring todo that was done and opened again, and that somebody opened beside a kept successor": [
    oneByOne,
    rest({ do: "todo.create", fields: recurring }),
    rest({ do: "todo.toggle", which: 1, to: true }),
    rest({ do: "todo.toggle", which: 1, to: false }),
    page({ do: "todo.toggle", which: 1, to: true }),
    rest({ do: "todo.update", which: 2, fields: {} }),
    mcp({ do: "todo.toggle", which: 1, to: false }),
  ],
};

/** Each life is somebody else's, so they are lived at the same time. */
async function faultsOf(life: Omit<Life, "start">): Promise<string[]> {
  const system = reading(newWorld());
  const history: History = [];
  await live(system, history, { ...life, start });
  return undoFaults(system, history, life.plan);
}

const named = Object.entries(cases);
test.concurrent.each(named)(
  "taken back, brought back and taken back again: %s",
  async (_, [plan, ...steps]) => {
    expect(await faultsOf({ zone: "Europe/Berlin", plan, steps })).toEqual([]);
  },
);

/** `LIVES=2000 LIVES_SEED=7 bun test/run.ts ./test/service/undo/undo-cases.test.ts` runs more lives, or others. */
const numRuns = Number(Bun.env.LIVES ?? 36);
const seed = Number(Bun.env.LIVES_SEED ?? 21);

test.concurrent.each(
  fc.sample(lives(5, 40), { numRuns, seed }).map((life, number) => [number, life] as const),
)(`what an agent did is taken back out of life %d, and nothing else (LIVES_SEED=${seed})`, async (_, life) =>
  expect([life, await faultsOf(life)]).toEqual([life, []]),
);
