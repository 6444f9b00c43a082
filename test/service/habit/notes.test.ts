import { expect, test } from "bun:test";
import { startInMay } from "../../support/streak/habit-in-may.ts";
import type { ActionKey } from "../../support/undo-door.ts";

const { at, day, habit } = await startInMay();

test("a note is kept with its completion, and another replaces it", async () => {
  at(8);
  const { complete, completions, get } = await habit();
  expect((await complete({ note: "In the rain" })).body.streak_count).toBe(1);
  await complete({ date: day(5) });
  const notes = async () => (await completions()).map(({ note }: { note: string | null }) => note);
  expect(await notes()).toEqual(["In the rain", null]);
  const before = await get();
  expect((await complete({ date: day(5), note: "Alone" })).status).toBe(200);
  expect((await complete({ note: "In the snow" })).status).toBe(200);
  expect(await notes()).toEqual(["In the snow", "Alone"]);
  expect(await get()).toEqual({ ...before, updated_at: expect.anything() });
  expect((await complete()).status).toBe(409);
});

test("a note of more than 500 characters, of none, or on a day that stays open is refused, and changes nothing", async () => {
  at(8);
  const { complete, completions, get } = await habit({ target: 8 });
  const before = await get();
  for (const body of [{ note: "x".repeat(501) }, { note: "" }, { note: "Half", amount: 3 }]) {
    const { status, body: answer } = await complete(body);
    expect([status, Object.keys(answer.errors)]).toEqual([422, ["note"]]);
  }
  expect(await get()).toEqual(before);
  expect((await complete({ note: "x".repeat(500), amount: 8 })).status).toBe(200);
  await complete({ note: "More", amount: 1 });
  expect(await completions()).toMatchObject([{ note: "More" }]);
});

test("its owner takes a note back alone, and a completion comes back with its note", async () => {
  at(8);
  const { complete, completions, changes, undo, rest, path } = await habit();
  await complete();
  await complete({ note: "Alone" });
  const [noted] = (await changes()) as [ActionKey];
  await rest("DELETE", `${path}/complete`);
  const [undone] = (await changes()) as [ActionKey];
  await undo([undone]);
  expect(await completions()).toMatchObject([{ note: "Alone" }]);
  expect((await undo([noted]))[0]).toMatchObject({ undone: "whole" });
  expect(await completions()).toMatchObject([{ note: null }]);
});
