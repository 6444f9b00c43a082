import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { useStack } from "../../harness.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => sql.close());
const stack = await useStack({ travels: true });
const { rest, clock, issuer } = stack;
const sql = new SQL(stack.config.databaseUrl, { max: 1 });

/** Noon of a day of May 2026; the 4th is a Monday, and days below 1 are in April. */
const at = (n: number): void => {
  clock.now = Date.UTC(2026, 4, n, 12);
};
const day = (n: number): string => new Date(Date.UTC(2026, 4, n)).toISOString().slice(0, 10);

async function someone(zoneinfo?: string) {
  const token = await issuer.token({ sub: crypto.randomUUID(), ...(zoneinfo && { zoneinfo }) });
  const send: typeof rest = (method, path, options) => rest(method, path, { token, ...options });
  return {
    token,
    send,
    create: async (fields: object = {}) => {
      const body = { name: "Run", type: "good", frequency: "daily", grace_days: 0, ...fields };
      return (await send("POST", "/habits", { body })).body.id as number;
    },
    complete: (id: number, date?: string) =>
      send("POST", `/habits/${id}/complete`, date === undefined ? {} : { body: { date } }),
    undo: (id: number, date?: string) =>
      send("DELETE", `/habits/${id}/complete${date === undefined ? "" : `?date=${date}`}`),
    get: async (id: number) => (await send("GET", `/habits/${id}`)).body,
  };
}

test("yesterday completed today makes a broken chain whole, and its undo breaks it again", async () => {
  const { create, complete, undo, send } = await someone();
  at(4);
  const id = await create();
  await complete(id);
  at(5);
  await complete(id);
  at(7);
  expect((await complete(id)).body).toMatchObject({ streak_count: 1, longest_streak: 2 });
  const late = await complete(id, day(6));
  expect(late.status).toBe(200);
  expect(late.body).toMatchObject({
    streak_count: 4,
    longest_streak: 4,
    streak_alive_through: day(8),
    completions_count: 4,
    is_completed_today: true,
  });
  const { body } = await send("GET", "/dashboard");
  expect([6, 7].map((n) => body.activity_strip[day(n)])).toEqual([1, 1]);
  expect(body.stats).toMatchObject({ completed_today: 1, total_streak: 4 });
  expect((await undo(id, day(6))).body).toMatchObject({
    streak_count: 1,
    longest_streak: 2,
    completions_count: 3,
  });
});

test("done, or not done, on that day already is 409", async () => {
  const { create, complete, undo } = await someone();
  at(6);
  const id = await create();
  await complete(id, day(5));
  const twice = await complete(id, day(5));
  expect([twice.status, twice.body.message]).toEqual([409, `Habit is already completed on ${day(5)}.`]);
  expect((await complete(id, day(6))).status).toBe(200);
  expect((await complete(id)).body.message).toBe("Habit is already completed today.");
  const none = await undo(id, day(4));
  expect([none.status, none.body.message]).toEqual([409, `Habit is not completed on ${day(4)}.`]);
});

test("tomorrow, 367 days ago and what is no date are 422 on date, before it is asked whether there is a habit", async () => {
  const { create, complete, undo } = await someone();
  at(10);
  const id = await create();
  for (const habit of [id, 999_999])
    for (const date of [day(11), day(10 - 367), "2026-02-30", "yesterday", ""])
      for (const { status, body } of [await complete(habit, date), await undo(habit, date)])
        expect([date, status, Object.keys(body.errors ?? {})]).toEqual([date, 422, ["date"]]);
  expect((await complete(id, day(11))).body.errors.date).toEqual([
    `The date field must be today (${day(10)}) or up to 366 days before it.`,
  ]);
  expect((await complete(999_999, day(9))).status).toBe(404);
  for (const n of [10, 3, 2, 10 - 366]) expect((await complete(id, day(n))).status).toBe(200);
});

test("a completion for an earlier day is stored with that day and the time of the call", async () => {
  const { create, complete } = await someone();
  at(10);
  const id = await create();
  await complete(id, day(8));
  const rows = await sql`
    select local_date::text as date, completed_at > now() - interval '1 minute' as now
    from habit_completions where habit_id = ${id}`;
  expect([...rows]).toEqual([{ date: day(8), now: true }]);
});

test("the day is the user's own: what is still to come in UTC can be today elsewhere", async () => {
  const { create, complete } = await someone("Pacific/Kiritimati");
  at(10);
  const id = await create();
  expect((await complete(id, day(11))).body.is_completed_today).toBe(true);
  expect((await complete(id, day(12))).status).toBe(422);
  expect((await complete(id, day(11 - 367))).status).toBe(422);
});

test("months made up for later are the streak that they would have been", async () => {
  const { create, complete, undo } = await someone();
  at(1);
  const id = await create();
  for (let n = -60; n <= 1; n++) if (n !== -30) expect((await complete(id, day(n))).status).toBe(200);
  expect((await complete(id, day(-30))).body).toMatchObject({ streak_count: 62, longest_streak: 62 });
  expect((await undo(id, day(-30))).body).toMatchObject({ streak_count: 31, longest_streak: 31 });
});
