import { expect, test } from "bun:test";
import type { JsonBody } from "../../harness.ts";
import { useMay } from "../../support/streak/habit-in-may.ts";

const { at, day, habit } = await useMay();

async function water(fields: object = {}) {
  const one = await habit({ name: "Water", target: 8, unit: "glasses", ...fields });
  const { rest, path } = one;
  return { ...one, amounts: async (query = "") => (await rest("GET", `${path}/amounts${query}`)).body.data };
}

const shown = ({ amount_today, is_completed_today, streak_count, completions_count }: JsonBody) => [
  amount_today,
  is_completed_today,
  streak_count,
  completions_count,
];

test("amounts add up, and the day is completed when their sum reaches the target", async () => {
  at(4);
  const { get, complete, completions, amounts } = await water();
  expect(await get()).toMatchObject({ target: 8, unit: "glasses", amount_today: 0, recent_amounts: [] });
  expect(shown((await complete({ amount: 3 })).body)).toEqual([3, false, 0, 0]);
  expect(await completions()).toEqual([]);
  expect(shown((await complete({ amount: 4 })).body)).toEqual([7, false, 0, 0]);
  expect(shown((await complete({ amount: 3 })).body)).toEqual([10, true, 1, 1]);
  expect(shown((await complete({ amount: 1 })).body)).toEqual([11, true, 1, 1]);
  expect(await amounts()).toEqual([{ date: day(4), amount: 11, target: 8 }]);
  at(5);
  expect(await get()).toMatchObject({
    amount_today: 0,
    is_completed_today: false,
    recent_amounts: [{ date: day(4), amount: 11 }],
  });
});

test("amounts of a part add up without the error of binary fractions, and are taken back to 0", async () => {
  at(4);
  const { get, complete, takeBack } = await water({ target: 0.3, unit: "km" });
  await complete({ amount: 0.1 });
  expect(shown((await complete({ amount: 0.2 })).body)).toEqual([0.3, true, 1, 1]);
  expect(shown((await complete({ amount: 0.001 })).body)).toEqual([0.301, true, 1, 1]);
  expect(shown((await takeBack()).body)).toEqual([0, false, 0, 0]);
  expect(await get()).toMatchObject({ target: 0.3, amount_today: 0 });
});

test("an earlier day counts for itself, up to 366 days back", async () => {
  at(12);
  const { complete, takeBack, amounts, completions } = await water();
  const [first, tooEarly] = [day(12 - 366), day(12 - 367)];
  expect((await complete({ date: tooEarly, amount: 1 })).status).toBe(422);
  expect((await complete({ date: day(5), amount: 9 })).body).toMatchObject({
    amount_today: 0,
    completions_count: 1,
    recent_amounts: [{ date: day(5), amount: 9 }],
  });
  await complete({ date: day(11), amount: 2 });
  expect(await amounts()).toEqual([
    { date: day(11), amount: 2, target: 8 },
    { date: day(5), amount: 9, target: 8 },
  ]);
  expect(await amounts(`?from=${day(6)}&to=${day(10)}`)).toEqual([]);
  expect((await completions()).map(({ date }: JsonBody) => date)).toEqual([day(5)]);
  await takeBack(day(5));
  expect(await amounts()).toEqual([{ date: day(11), amount: 2, target: 8 }]);
  for (const amount of [3, 5]) await complete({ date: first, amount });
  expect(await amounts(`?from=${first}&to=${first}`)).toEqual([{ date: first, amount: 8, target: 8 }]);
  expect((await takeBack(first)).body).toMatchObject({ completions_count: 0 });
  expect((await takeBack(first)).status).toBe(409);
});

test("a habit without a target takes no amount, and wrong amounts change nothing", async () => {
  at(4);
  const { get, complete, patch } = await water({ target: null, unit: null });
  const before = await get();
  expect(before).toMatchObject({ target: null, amount_today: null });
  expect((await complete({ amount: 2 })).body.errors.amount[0]).toContain("with a target");
  await patch({ target: 8 });
  for (const amount of [0, -1, 1.0005, "2", 100_001]) expect((await complete({ amount })).status).toBe(422);
  expect(await get()).toMatchObject({ ...before, target: 8, amount_today: 0, updated_at: expect.anything() });
});

test("a day takes a million and no more", async () => {
  at(4);
  const { get, complete } = await water({ target: 100_000 });
  for (let n = 0; n < 10; n++) await complete({ amount: 100_000 });
  expect((await complete({ amount: 1 })).status).toBe(422);
  expect((await get()).amount_today).toBe(1_000_000);
});

test("simultaneous additions all count, and complete the day once", async () => {
  at(4);
  const { get, complete, completions } = await water();
  const answers = await Promise.all(Array.from({ length: 12 }, () => complete({ amount: 1 })));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(shown(await get())).toEqual([12, true, 1, 1]);
  expect(await completions()).toHaveLength(1);
});

test("a tick is not taken back once the day has an amount, and says so", async () => {
  at(4);
  const { get, patch, complete, last, undo } = await water({ target: null });
  await complete();
  const ticked = await last();
  await patch({ target: 8 });
  expect(shown((await complete({ amount: 2 })).body)).toEqual([2, true, 1, 1]);
  const conflicts = [{ why: "changed_since", fields: ["amount"] }];
  expect(await undo(ticked)).toMatchObject([{ undone: "none", conflicts }]);
  expect(shown(await get())).toEqual([2, true, 1, 1]);
});

test("a deleted habit comes back with its amounts", async () => {
  at(4);
  const { path, rest, get, complete, amounts, last, undo } = await water();
  await complete({ amount: 3 });
  await complete({ date: day(2), amount: 9 });
  const [before, sums] = [await get(), await amounts()];
  await rest("DELETE", path);
  expect((await rest("GET", `${path}/amounts`)).status).toBe(404);
  await undo(await last());
  expect(await get()).toEqual({ ...before, updated_at: expect.anything() });
  expect(await amounts()).toEqual(sums);
  expect(shown((await complete({ amount: 5 })).body)).toEqual([8, true, before.streak_count + 1, 2]);
});
