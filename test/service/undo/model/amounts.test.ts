import { expect, test } from "bun:test";
import fc from "fast-check";
import { addDays, dateOfDay } from "../../../../shared/domain/day/day.ts";
import { doneDays } from "../../../../shared/domain/habit/history.ts";
import { liveHabit, openWorlds } from "./on-service.ts";

const newWorld = await openWorlds();

const daysBack = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) },
);

/** Lives of one habit with amounts: additions, clearings, changes of the target, and undos of these. */
type Act =
  | Readonly<{ do: "add"; back: number; amount: number }>
  | Readonly<{ do: "fill" | "clear"; back: number }>
  | Readonly<{ do: "aim"; target: number | null }>
  | Readonly<{ do: "sleep"; days: number }>
  | Readonly<{ do: "undo"; which: number }>;

const one = (doing: Act["do"], parts: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ do: fc.constant(doing), ...parts }) as fc.Arbitrary<Act>;
const act = fc.oneof(
  { weight: 6, arbitrary: one("add", { back: daysBack, amount: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 1, arbitrary: one("fill", { back: daysBack }) },
  { weight: 1, arbitrary: one("clear", { back: daysBack }) },
  { weight: 1, arbitrary: one("aim", { target: fc.option(fc.integer({ min: 1, max: 9 }), { freq: 3 }) }) },
  { weight: 1, arbitrary: one("sleep", { days: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 3, arbitrary: one("undo", { which: fc.nat(99) }) },
);

async function newLife() {
  const water = { frequency: "daily", target: 8 };
  const life = await liveHabit(newWorld(), Date.parse("2026-05-04T12:00:00Z"), water);
  const { place, send, today, undo } = life;
  const changes = async () => (await life.changes()).slice(1);
  async function live(one: Act): Promise<void> {
    if (one.do === "sleep") place.clock.now += one.days * 86_400_000;
    else if (one.do === "aim") await send("update", { target: one.target });
    else if (one.do === "undo") {
      const actions = await changes();
      const action = actions[one.which % Math.max(1, actions.length)];
      if (action) await undo(action);
    } else {
      const amount = one.do === "add" && { amount: one.amount };
      const date = addDays(today(), -one.back);
      await send(one.do === "clear" ? "undo" : "complete", { date, ...amount });
    }
  }
  return { ...life, changes, live };
}

type Life = Awaited<ReturnType<typeof newLife>>;

/** The days of the habit as the tables have them. */
async function daysOf({ place, habit }: Life) {
  const rows = await place.rows();
  const of = (table: string) =>
    [...rows].filter(([name]) => name.startsWith(`${table}/`)).map(([, row]) => row);
  return { row: await habit(), completions: of("habit_completions"), sums: of("habit_amounts") };
}

/** Finds contradictions in the tables. */
async function faults(life: Life): Promise<string[]> {
  const { row, completions, sums } = await daysOf(life);
  const done = new Set(completions.map(({ local_date }) => local_date));
  const unequal = sums.filter(
    ({ local_date, amount, target }) => done.has(local_date) !== Number(amount) >= Number(target),
  );
  const first = addDays(life.today(), -7);
  const recent = Object.entries(row.recent_amounts as Record<string, number>).filter(
    ([date]) => date >= first,
  );
  const stored = sums.filter(({ local_date }) => String(local_date) >= first);
  const isCopied = Bun.deepEquals(
    Object.fromEntries(recent),
    Object.fromEntries(stored.map(({ local_date, amount }) => [local_date, Number(amount)])),
  );
  return [
    ...unequal.map((sum) => `completed or not against its sum: ${JSON.stringify(sum)}`),
    ...sums.filter(({ amount }) => Number(amount) <= 0).map((sum) => `no sum: ${JSON.stringify(sum)}`),
    ...(isCopied ? [] : [`the habit has ${JSON.stringify(recent)} of ${JSON.stringify(stored)}`]),
    ...(row.completions_count === done.size ? [] : [`counts ${row.completions_count} of ${done.size}`]),
    ...doneDays(row as never)
      .map(dateOfDay)
      .filter((date) => !done.has(date))
      .map((date) => `the streak has ${date}`),
  ];
}

const lived = (acts: fc.Arbitrary<Act[]>, count: number) =>
  fc.sample(acts, count).map((life, number) => [number, life] as const);

test.concurrent.each(lived(fc.array(act, { maxLength: 25, size: "max" }), 40))(
  "whatever is added, cleared, aimed at and taken back, each day is done exactly if its sum says so: life %d",
  async (_, acts) => {
    const life = await newLife();
    for (const one of acts) {
      await life.live(one);
      expect([acts, await faults(life)]).toEqual([acts, []]);
    }
  },
);

/** The most days of a life in which all days, and the three before, can still change. */
const mostDays = 6;
const daysIn = (acts: readonly Act[]): number =>
  acts.reduce((sum, one) => sum + (one.do === "sleep" ? one.days : 0), 0);
const onlyDone = fc
  .array(
    act.filter((one) => one.do !== "undo"),
    { maxLength: 20, size: "max" },
  )
  .filter((acts) => daysIn(acts) <= mostDays);

test.concurrent.each(lived(onlyDone, 30))(
  "all that was done to the amounts is taken back from the last to the first, and nothing is left of it: life %d",
  async (_, acts) => {
    const life = await newLife();
    const { row: before } = await daysOf(life);
    for (const one of acts) await life.live(one);
    for (const action of (await life.changes()).toReversed())
      expect([acts, await life.undo(action)]).toEqual([acts, "whole"]);
    const { row, completions, sums } = await daysOf(life);
    expect([completions, sums]).toEqual([[], []]);
    const names = ["streak", "longest_streak", "target", "completions_count", "recent_amounts"];
    expect(names.map((name) => row[name])).toEqual(names.map((name) => before[name]));
  },
);

test("an addition that was wiped takes nothing from what was counted since, and comes back with the wiped sum", async () => {
  const life = await newLife();
  const add = (amount: number): Act => ({ do: "add", back: 0, amount });
  for (const one of [add(3), { do: "clear", back: 0 } as const, add(2)]) await life.live(one);
  const [first, wipe] = await life.changes();
  const sums = async () => (await daysOf(life)).sums.map(({ amount }) => Number(amount));
  expect([await life.undo(first), await sums()]).toEqual(["none", [2]]);
  expect([await life.undo(wipe), await sums()]).toEqual(["whole", [5]]);
  expect([await life.undo(first), await sums()]).toEqual(["whole", [2]]);
});
