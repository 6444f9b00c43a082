import { expect, test } from "bun:test";
import { startInMay } from "../../support/streak/habit-in-may.ts";
import { type ActionKey, whole } from "../../support/undo-door.ts";

const { at, day, habit } = await startInMay();

test("a pause from a day that was missed makes the streak whole, and its days are not due", async () => {
  at(4);
  const { get, patch, complete, due } = await habit();
  await complete();
  at(8);
  expect((await get()).streak_count).toBe(0);
  const paused = (await patch({ paused_from: day(5) })).body;
  expect(paused).toMatchObject({
    paused_from: day(5),
    paused_through: null,
    streak_count: 1,
    streak_alive_through: null,
  });
  expect(await due()).toBe(false);
  at(20);
  expect((await get()).streak_count).toBe(1);
  expect((await complete()).body).toMatchObject({ streak_count: 2, is_completed_today: true });
  at(21);
  const ended = (await patch({ paused_from: null })).body;
  expect(ended).toMatchObject({ paused_from: null, streak_count: 2, streak_alive_through: day(21) });
  expect(await due()).toBe(true);
});

test("a week with a paused day asks for nothing, but what is done in it counts", async () => {
  at(4);
  const { get, patch, complete, due } = await habit({ frequency: "weekly" });
  await complete();
  at(13);
  await patch({ paused_from: day(12), paused_through: day(12) });
  expect(await due()).toBe(false);
  expect((await get()).streak_alive_through).toBe(day(24));
  expect((await complete()).body.streak_count).toBe(2);
});

test("a pause that begins too far back, ends before it begins or has no beginning is refused", async () => {
  at(20);
  const { get, patch } = await habit();
  const before = await get();
  const wrong = async (change: object) => Object.keys((await patch(change)).body.errors);
  expect(await wrong({ paused_from: day(12) })).toEqual(["paused_from"]);
  expect(await wrong({ paused_from: day(20), paused_through: day(19) })).toEqual(["paused_through"]);
  expect(await wrong({ paused_through: day(21) })).toEqual(["paused_through"]);
  expect(await get()).toEqual(before);
  expect((await patch({ paused_from: day(13), paused_through: day(14) })).status).toBe(200);
  at(25);
  expect((await patch({ paused_from: day(13), paused_through: day(30) })).status).toBe(200);
});

test("its owner takes a pause back as if it had never been, and brings it again", async () => {
  at(4);
  const { get, patch, complete, changes, undo } = await habit();
  await complete();
  at(7);
  const before = await get();
  await patch({ paused_from: day(5), paused_through: day(6) });
  const after = await get();
  const [pause] = await changes();
  expect(await undo([pause as ActionKey])).toEqual(whole(1));
  const { updated_at: _, ...rest } = before;
  expect(await get()).toMatchObject(rest);
  const [back] = await changes();
  if (back) expect(await undo([back])).toEqual(whole(1));
  expect((await get()).streak_count).toBe(after.streak_count);
});
