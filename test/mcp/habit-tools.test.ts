import { expect, test } from "bun:test";
import { startStack } from "../harness.ts";
import { agent } from "./support.ts";

const stack = await startStack();
const { call, token } = await agent(stack, { sub: "habits" });
stack.clock.now = Date.parse("2026-05-08T10:00:00Z");

test("a created habit is daily and good unless told to be bad", async () => {
  const good = await call("create-habit", { name: "Meditate", time_of_day: "morning" });
  expect(good.facts).toEqual({
    today: "2026-05-08",
    time_zone: "UTC",
    habit: {
      id: good.facts.habit.id,
      name: "Meditate",
      type: "good",
      frequency: "daily",
      time_of_day: "morning",
      streak_count: 0,
    },
  });
  expect(good.text).toBe(
    `Today is 2026-05-08 in UTC.\nCreated #${good.facts.habit.id} Meditate — good habit, daily, streak 0, morning`,
  );
  const bad = await call("create-habit", { name: "Smoking", type: "bad" });
  expect(bad.facts.habit.type).toBe("bad");
});

test.each(["frequency", "schedule"])("a %s is refused with where other habits are made", async (name) => {
  const { isError, facts } = await call("create-habit", { name: "Run", [name]: "weekly" });
  expect(isError).toBe(true);
  expect(Object.keys(facts.errors)).toEqual([name]);
  expect(facts.message).toContain("daily habits; others are made over REST, with POST /api/v1/habits");
});

test("completing a bad habit is told as having avoided it", async () => {
  const { facts } = await call("create-habit", { name: "Sweets", type: "bad" });
  const { text } = await call("complete-habit", { habit_id: facts.habit.id });
  expect(text).toContain(`Avoided today: #${facts.habit.id} Sweets`);
});

test("a second completion is a refusal that says nothing needs to be done", async () => {
  const { facts } = await call("create-habit", { name: "Run" });
  const { id } = facts.habit;
  const first = await call("complete-habit", { habit_id: id });
  expect(first.facts.habit).toMatchObject({ streak_count: 1, is_completed_today: true });
  const second = await call("complete-habit", { habit_id: id });
  expect(second).toMatchObject({ isError: true, facts: { code: "conflict", today: "2026-05-08" } });
  expect(second.text).toStartWith(
    "Habit is already completed today; nothing was changed and nothing needs to be done.",
  );
});

test("today's habits leave out what is not due, and can be narrowed to a time of day", async () => {
  const weekend = { name: "Long walk", type: "good", frequency: "custom", schedule: { weekdays: [6, 7] } };
  await stack.rest("POST", "/habits", { token, body: weekend });
  const { facts } = await call("get-today-habits");
  expect(facts.habits.map(({ name }: { name: string }) => name)).toEqual([
    "Meditate",
    "Smoking",
    "Sweets",
    "Run",
  ]);
  const morning = await call("get-today-habits", { time_of_day: "morning" });
  expect(morning.facts.habits).toHaveLength(1);
});

test("text and structured content name the same facts, the category by its name", async () => {
  const category = await stack.rest("POST", "/categories", { token, body: { name: "Health" } });
  const { facts, text } = await call("create-habit", {
    name: "Sleep",
    category_id: category.body.id,
    description: "In bed\nby ten",
    grace_days: 2,
  });
  expect(facts.habit).toMatchObject({ category: "Health", description: "In bed\nby ten" });
  expect(text).toEndWith("Sleep — good habit, daily, streak 0, in Health. In bed by ten");
});

test("the user's own zone and day are told", async () => {
  const far = await agent(stack, { sub: "far", zoneinfo: "Pacific/Auckland" });
  stack.clock.now = Date.parse("2026-05-08T20:00:00Z");
  const { facts, text } = await far.call("get-today-habits");
  expect(facts).toEqual({ today: "2026-05-09", time_zone: "Pacific/Auckland", habits: [] });
  expect(text).toBe("Today is 2026-05-09 in Pacific/Auckland.\nNo habits are due today.");
});
