import { expect, test } from "bun:test";
import { conflicts } from "../../../shared/domain/conflicts.ts";
import { useMay } from "../../support/streak/habit-in-may.ts";

const { page, at, day, habit } = await useMay();

test("yesterday completed today makes a broken chain whole, and its undo breaks it again", async () => {
  at(4);
  const { rest, complete, takeBack } = await habit();
  await complete();
  at(5);
  await complete();
  at(7);
  expect((await complete()).body).toMatchObject({ streak_count: 1, longest_streak: 2 });
  const whole = { streak_count: 4, longest_streak: 4, streak_alive_through: day(8), completions_count: 4 };
  expect((await complete({ date: day(6) })).body).toMatchObject({ ...whole, is_completed_today: true });
  const { body } = await rest("GET", "/dashboard");
  expect([6, 7].map((n) => body.activity_strip[day(n)])).toEqual([1, 1]);
  expect(body.stats).toMatchObject({ completed_today: 1, total_streak: 4 });
  const broken = { streak_count: 1, longest_streak: 2, completions_count: 3 };
  expect((await takeBack(day(6))).body).toMatchObject(broken);
});

test("done, or not done, on that day already is 409", async () => {
  at(6);
  const { complete, takeBack } = await habit();
  await complete({ date: day(5) });
  const twice = await complete({ date: day(5) });
  expect([twice.status, twice.body.message]).toEqual([
    409,
    conflicts.habitCompleted(`on ${day(5)}`).refusal.message,
  ]);
  expect((await complete({ date: day(6) })).status).toBe(200);
  expect((await complete()).body.message).toBe(conflicts.habitCompleted().refusal.message);
  const none = await takeBack(day(4));
  expect([none.status, none.body.message]).toEqual([
    409,
    conflicts.habitNotCompleted(`on ${day(4)}`).refusal.message,
  ]);
});

test("tomorrow, 367 days ago and what is no date are 422 on date, before it is asked whether there is a habit", async () => {
  at(10);
  const { rest, path } = await habit();
  const complete = (habit: string, date: string) => rest("POST", `${habit}/complete`, { date });
  const takeBack = (habit: string, date: string) => rest("DELETE", `${habit}/complete?date=${date}`);
  for (const habit of [path, "/habits/999999"])
    for (const date of [day(11), day(10 - 367), "2026-02-30", "yesterday", ""])
      for (const { status, body } of [await complete(habit, date), await takeBack(habit, date)])
        expect([date, status, Object.keys(body.errors ?? {})]).toEqual([date, 422, ["date"]]);
  expect((await complete(path, day(11))).body.errors.date).toEqual([
    `The date field must be today (${day(10)}) or up to 366 days before it.`,
  ]);
  expect((await complete("/habits/999999", day(9))).status).toBe(404);
  for (const n of [10, 3, 2, 10 - 366]) expect((await complete(path, day(n))).status).toBe(200);
});

test("a completion for an earlier day is stored with that day and the time of the call", async () => {
  at(10);
  const { id, complete } = await habit();
  await complete({ date: day(8) });
  const sql = `select local_date::text as date, completed_at > now() - interval '1 minute' as now
    from habit_completions where habit_id = $1`;
  expect((await page.pool.query(sql, [id])).rows).toEqual([{ date: day(8), now: true }]);
});

test("the day is the user's own: what is still to come in UTC can be today elsewhere", async () => {
  at(10);
  const { complete } = await habit({}, { zoneinfo: "Pacific/Kiritimati" });
  expect((await complete({ date: day(11) })).body.is_completed_today).toBe(true);
  for (const n of [12, 11 - 367]) expect((await complete({ date: day(n) })).status).toBe(422);
});

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
  const { complete, takeBack, completions, last, undo } = await habit();
  await complete();
  await complete({ note: "Alone" });
  const noted = await last();
  await takeBack();
  await undo(await last());
  expect(await completions()).toMatchObject([{ note: "Alone" }]);
  expect(await undo(noted)).toMatchObject([{ undone: "whole" }]);
  expect(await completions()).toMatchObject([{ note: null }]);
});
