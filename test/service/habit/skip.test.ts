import { expect, test } from "bun:test";
import { startInMay } from "../../support/streak/habit-in-may.ts";
import { type ActionKey, whole } from "../../support/undo-door.ts";

const { at, day, habit: anyHabit } = await startInMay();

async function habit(fields: object = {}) {
  const one = await anyHabit(fields);
  return {
    ...one,
    skip: (body?: object) => one.rest("POST", `${one.path}/skip`, body),
    takeBack: (date?: string) => one.rest("DELETE", `${one.path}/skip${date ? `?date=${date}` : ""}`),
  };
}

test("a skipped day is not due, breaks nothing, and cannot be completed before that is taken back", async () => {
  at(4);
  const { get, complete, skip, takeBack, due, completions } = await habit();
  await complete();
  at(5);
  const skipped = await skip();
  expect(skipped).toMatchObject({
    status: 200,
    body: { skipped_dates: [day(5)], streak_count: 1, streak_alive_through: day(6), completions_count: 1 },
  });
  expect(await due()).toBe(false);
  expect(await completions()).toHaveLength(1);
  expect((await skip()).status).toBe(409);
  const refused = await complete();
  expect(refused.status).toBe(409);
  expect(refused.body.message).toContain("take the skip back");
  expect(await get()).toEqual(skipped.body);
  expect((await takeBack()).body).toMatchObject({ skipped_dates: [], streak_alive_through: day(5) });
  expect((await takeBack()).status).toBe(409);
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
  const { get, complete, skip, changes, undo } = await habit();
  await complete();
  at(6);
  await skip({ date: day(5) });
  const [first] = await changes();
  await skip();
  expect(await undo([first as ActionKey])).toEqual(whole(1));
  expect(await get()).toMatchObject({ skipped_dates: [day(6)], streak_count: 0 });
  const [back] = await changes();
  expect(await undo([back as ActionKey])).toEqual(whole(1));
  expect(await get()).toMatchObject({ skipped_dates: [day(5), day(6)], streak_count: 1 });
});
