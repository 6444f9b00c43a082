import { describe, expect, test } from "bun:test";
import { addDays } from "../../../shared/domain/day/day.ts";
import { startStack, useStack } from "../../harness.ts";

const { rest, clock, issuer, sql } = await useStack({ travels: true });
const today = "2026-05-10";
const noon = Date.parse(`${today}T12:00:00Z`);
clock.now = noon;

describe("a habit's completions", async () => {
  const body = { name: "Read", type: "good", frequency: "daily" };
  const { id } = (await rest("POST", "/habits", { body })).body;
  const other = (await rest("POST", "/habits", { body })).body.id;
  const days = Array.from({ length: 400 }, (_, n) => addDays(today, -n));
  await rest("POST", `/habits/${other}/complete`);
  for (const day of days)
    await sql`insert into habit_completions
      select user_id, id, ${day}::date, now() from habits where id = ${id}`;
  const get = (query: string) => rest("GET", `/habits/${id}/completions${query}`);
  const datesOf = async (query: string) =>
    (await get(query)).body.data.map(({ date }: { date: string }) => date);

  test("are the last 366 days, newest first, unless a period is given", async () => {
    expect(await datesOf("")).toEqual(days.slice(0, 366));
    expect(await datesOf("?from=2026-05-08")).toEqual(days.slice(0, 3));
    expect(await datesOf("?from=2025-05-01")).toEqual(days.slice(9, 375));
    expect(await datesOf("?to=2026-05-08")).toEqual(days.slice(2, 368));
    expect(await datesOf("?from=2026-05-08&to=2026-05-09")).toEqual(days.slice(1, 3));
    expect(await datesOf("?from=2027-01-01")).toEqual([]);
  });

  test("have the instant of each", async () => {
    const { body } = await get("?from=2026-05-10");
    expect(body).toEqual({
      data: [{ date: today, completed_at: expect.stringMatching(/^\d{4}-.*T.*\.\d{6}Z$/), note: null }],
    });
  });

  test("of the first and the last year there is are asked for without a fault", async () => {
    expect(await datesOf("?from=9999-12-31")).toEqual([]);
    expect(await datesOf("?to=0001-01-01")).toEqual([]);
  });

  test("a period that is too long or ends before it begins is 422", async () => {
    expect((await get("?from=2025-05-10&to=2026-05-10")).status).toBe(200);
    for (const query of ["?from=2025-05-09&to=2026-05-10", "?from=2026-05-10&to=2026-05-09"]) {
      const { status, body } = await get(query);
      expect([status, Object.keys(body.errors)]).toEqual([422, ["to"]]);
    }
    expect((await get("?from=2026-02-30")).body.errors).toHaveProperty("from");
    expect((await get("?since=2026-01-01")).body.errors).toHaveProperty("since");
  });
});

test("the dashboard shows what is due today, the strip of 14 days and exact totals", async () => {
  const token = await issuer.token({ sub: "dash", zoneinfo: "America/New_York" });
  const habit = { name: "h", type: "good" };
  const post = async (path: string, body?: object) =>
    (await rest("POST", path, { token, ...(body && { body }) })).body;
  clock.now = Date.parse("2026-05-09T16:00:00Z"); // Saturday noon in New York
  const daily = await post("/habits", { ...habit, frequency: "daily" });
  const weekend = await post("/habits", { ...habit, frequency: "custom", schedule: { weekdays: [6, 7] } });
  await post("/habits", { ...habit, frequency: "custom", schedule: { weekdays: [1] } });
  await post(`/habits/${daily.id}/complete`);
  clock.now = Date.parse("2026-05-11T03:59:00Z"); // still Sunday there
  await post(`/habits/${daily.id}/complete`);
  const todo = await post("/todos", { title: "done" });
  await post("/todos", { title: "pending" });
  await post(`/todos/${todo.id}/toggle`);
  const { body } = await rest("GET", "/dashboard", { token });
  expect(body.habits.map(({ id }: { id: number }) => id)).toEqual([daily.id, weekend.id]);
  expect(body.todos.map(({ title }: { title: string }) => title)).toEqual(["pending"]);
  expect(body.stats).toEqual({ total_habits: 3, completed_today: 1, total_streak: 2, pending_todos: 1 });
  const days = Object.keys(body.activity_strip);
  expect([days.length, days[0], days.at(-1)]).toEqual([14, "2026-04-27", "2026-05-10"]);
  expect(body.activity_strip).toMatchObject({ "2026-05-08": 0, "2026-05-09": 1, "2026-05-10": 2 });
  clock.now = noon;
});

test("an empty account has an empty dashboard", async () => {
  const { body } = await rest("GET", "/dashboard", { token: await issuer.token({ sub: "empty" }) });
  expect(body.stats).toEqual({ total_habits: 0, completed_today: 0, total_streak: 0, pending_todos: 0 });
  expect([body.habits, body.todos]).toEqual([[], []]);
});

test("an answer of more than Bun's buffer arrives whole", async () => {
  const token = await issuer.token({ sub: "much" });
  const titles = Array.from({ length: 60 }, (_, index) => `${index} ${"ü".repeat(240)}`);
  for (const title of titles) await rest("POST", "/todos", { token, body: { title } });
  const { body } = await rest("GET", "/dashboard", { token });
  expect(body.todos.map(({ title }: { title: string }) => title)).toEqual(titles);
});

test("a todo's reminder can be read by itself, in the user's zone, and is 404 while there is none", async () => {
  const token = await issuer.token({ sub: "tokyo", zoneinfo: "Asia/Tokyo" });
  const { id } = (await rest("POST", "/todos", { token, body: { title: "x" } })).body;
  const path = `/todos/${id}/reminder`;
  const none = await rest("GET", path, { token });
  expect([none.status, none.body]).toEqual([404, { message: "Reminder not found.", code: "not_found" }]);
  const set = await rest("PUT", path, { token, body: { remind_at: "2099-06-01T09:00" } });
  expect((await rest("GET", path, { token })).body).toEqual(set.body);
  expect(set.body.local_time).toBe("2099-06-01T09:00:00");
  for (const _ of [1, 2]) expect((await rest("DELETE", path, { token })).status).toBe(204);
  expect((await rest("GET", path, { token })).status).toBe(404);
  expect((await rest("GET", `/todos/${id}`, { token })).body.reminder).toBeNull();
});

describe("/quick-add", () => {
  const read = async (line: string, scope = "") => {
    const token = await issuer.token({ sub: "auckland", zoneinfo: "Pacific/Auckland", scope });
    return rest("GET", `/quick-add?${new URLSearchParams({ line })}`, { token });
  };

  test("reads a line in the user's own day, as the body of another request, and makes nothing", async () => {
    const { status, body } = await read("Water plants tomorrow at 9 #Home");
    expect([status, body.today, body.time_zone]).toEqual([200, "2026-05-11", "Pacific/Auckland"]);
    expect(body).toMatchObject({ habit: null, category: "Home", remind_at: "2026-05-12T09:00" });
    const token = await issuer.token({ sub: "auckland" });
    expect((await rest("GET", "/todos", { token })).body.meta.total).toBe(0);
    const made = await rest("POST", "/todos", { token, body: body.todo });
    expect(made.body).toMatchObject({ title: "Water plants", due_date: "2026-05-12" });
  });

  test("asks where the words leave a choice", async () => {
    const { body } = await read("Catch flight at 6 tomorrow");
    expect(body.todo).toMatchObject({ due_date: "2026-05-12", due_time: "18:00" });
    const alternative = { label: "06:00", due_time: "06:00", remind_at: "2026-05-12T06:00" };
    expect(body.alternatives).toEqual([alternative]);
  });

  test("reads a habit as one", async () => {
    const { body } = await read("habit Run 3 times a week");
    expect(body.todo).toBeNull();
    const token = await issuer.token({ sub: "auckland" });
    const made = await rest("POST", "/habits", { token, body: body.habit });
    expect(made.body).toMatchObject({ name: "Run", schedule: { times_per_week: 3 } });
  });

  test("refuses a line that is longer than can be read", async () => {
    expect((await read("x".repeat(300))).status).toBe(200);
    const { status, body } = await read("x".repeat(301));
    expect([status, Object.keys(body.errors)]).toEqual([422, ["line"]]);
  });
});

describe("/me", async () => {
  const limited = await startStack({ env: { RATE_LIMIT_PER_MINUTE: "1000" } });
  limited.clock.now = clock.now;

  test("tells the user's day, and what this token may do", async () => {
    const claims = { zoneinfo: "Pacific/Auckland", client_name: "Phone", scope: "todos:read" };
    const token = await limited.issuer.token(claims);
    const { status, body, headers } = await limited.rest("GET", "/me", { token });
    expect(status).toBe(200);
    expect(body).toEqual({
      today: "2026-05-11",
      time_zone: "Pacific/Auckland",
      day_start_hour: 0,
      reminders_reach: "nobody",
      scopes: ["todos:read"],
      client_name: "Phone",
      rules: null,
      rate_limit: {
        limit: 1000,
        remaining: Number(headers.get("x-ratelimit-remaining")),
        reset: Number(headers.get("x-ratelimit-reset")),
      },
    });
  });

  test("is limited like each request, and so is one whose answer is not sent again", async () => {
    const etag = (await limited.rest("GET", "/todos")).headers.get("etag") ?? "";
    const { status, headers } = await limited.rest("GET", "/todos", { headers: { "if-none-match": etag } });
    expect([status, headers.get("x-ratelimit-limit")]).toEqual([304, "1000"]);
  });

  test("needs no scope", async () => {
    expect((await rest("GET", "/me", { token: await issuer.token({ scope: "" }) })).status).toBe(200);
  });
});
