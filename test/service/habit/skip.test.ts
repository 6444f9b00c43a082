import { afterAll, expect, test } from "bun:test";
import { startStack } from "../../harness.ts";
import { type ActionKey, openUndoDoor, whole } from "../../support/undo-door.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => page.close());
const stack = await startStack();
const { page, someone } = await openUndoDoor(stack);

/** Noon of a day of May 2026; the 4th is a Monday. */
const at = (n: number): void => {
  stack.clock.now = Date.UTC(2026, 4, n, 12);
};
const day = (n: number): string => new Date(Date.UTC(2026, 4, n)).toISOString().slice(0, 10);

async function habit(fields: object = {}) {
  const one = await someone();
  const body = { name: "Run", type: "good", frequency: "daily", grace_days: 0, ...fields };
  const { id } = (await one.rest("POST", "/habits", body)).body;
  const path = `/habits/${id}`;
  return {
    ...one,
    get: async () => (await one.rest("GET", path)).body,
    complete: (body?: object) => one.rest("POST", `${path}/complete`, body),
    skip: (body?: object) => one.rest("POST", `${path}/skip`, body),
    takeBack: (date?: string) => one.rest("DELETE", `${path}/skip${date ? `?date=${date}` : ""}`),
    due: async () => (await one.rest("GET", "/habits?due=today")).body.data.length === 1,
    completions: async () => (await one.rest("GET", `${path}/completions`)).body.data,
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
  for (const date of [day(0), day(39)]) expect((await skip({ date })).status).toBe(422);
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
