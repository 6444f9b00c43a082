import { expect, test } from "bun:test";
import { useStack } from "../../harness.ts";

const { rest, clock, issuer } = await useStack({ travels: true });

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
  clock.now = undefined;
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
