import { expect, test } from "bun:test";
import { useMay } from "../../support/streak/habit-in-may.ts";
import { whole } from "../../support/undo-door.ts";

const { at, day, habit } = await useMay();

test("a pause from a day that was missed makes the streak whole, and its days are not due", async () => {
  at(4);
  const { get, patch, complete, due } = await habit();
  await complete();
  at(8);
  expect(await get()).toMatchObject({ streak_count: 0, longest_streak: 1, streak_alive_through: null });
  const paused = { paused_from: day(5), paused_through: null, streak_count: 1, streak_alive_through: null };
  expect((await patch({ paused_from: day(5) })).body).toMatchObject(paused);
  expect(await due()).toBe(false);
  at(20);
  expect((await get()).streak_count).toBe(1);
  expect((await complete()).body).toMatchObject({ streak_count: 2, is_completed_today: true });
  at(21);
  const ended = (await patch({ paused_from: null })).body;
  expect(ended).toMatchObject({ paused_from: null, streak_count: 2, streak_alive_through: day(21) });
  expect(await due()).toBe(true);
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

test("a skipped day is not due, breaks nothing, and cannot be completed before that is taken back", async () => {
  at(4);
  const { get, complete, skip, unskip, due, completions } = await habit();
  await complete();
  at(5);
  const skipped = await skip();
  const alive = { streak_count: 1, streak_alive_through: day(6), completions_count: 1 };
  expect(skipped).toMatchObject({ status: 200, body: { skipped_dates: [day(5)], ...alive } });
  expect(await due()).toBe(false);
  expect(await completions()).toHaveLength(1);
  expect((await skip()).status).toBe(409);
  const refused = await complete();
  expect(refused.status).toBe(409);
  expect(refused.body.message).toContain("take the skip back");
  expect(await get()).toEqual(skipped.body);
  expect((await unskip()).body).toMatchObject({ skipped_dates: [], streak_alive_through: day(5) });
  expect((await unskip()).status).toBe(409);
  expect((await complete()).body.streak_count).toBe(2);
  expect((await skip()).status).toBe(409);
});

test("a day that was missed is skipped later, and one that is to come in advance", async () => {
  at(4);
  const { get, complete, skip } = await habit();
  await complete();
  at(6);
  expect((await get()).streak_count).toBe(0);
  expect((await skip({ date: day(5) })).body.streak_count).toBe(1);
  expect((await skip({ date: day(7) })).body.skipped_dates).toEqual([day(5), day(7)]);
  await complete();
  at(8);
  expect((await get()).streak_count).toBe(2);
  for (const date of [day(8 - 367), day(39)]) expect((await skip({ date })).status).toBe(422);
});

test("skipping one day of a week skips the week, and a day that is never due cannot be skipped", async () => {
  at(4);
  const weekly = await habit({ frequency: "weekly" });
  await weekly.complete();
  at(12);
  expect((await weekly.skip()).body.streak_alive_through).toBe(day(24));
  expect(await weekly.due()).toBe(false);
  const mondays = await habit({ frequency: "custom", schedule: { weekdays: [1] } });
  expect((await mondays.skip({ date: day(13) })).status).toBe(409);
});

test("its owner takes a skip back, and brings it again, whatever was skipped beside it", async () => {
  at(4);
  const { get, complete, skip, last, undo } = await habit();
  await complete();
  at(6);
  await skip({ date: day(5) });
  const first = await last();
  await skip();
  expect(await undo(first)).toEqual(whole(1));
  expect(await get()).toMatchObject({ skipped_dates: [day(6)], streak_count: 0 });
  expect(await undo(await last())).toEqual(whole(1));
  expect(await get()).toMatchObject({ skipped_dates: [day(5), day(6)], streak_count: 1 });
});
