import { beforeAll, describe, expect, test } from "bun:test";
import { encode } from "gpt-tokenizer/encoding/cl100k_base";
import { useStack } from "../../../harness.ts";
import { newcomer } from "../../../support/mcp.ts";

const stack = await useStack({ travels: true });
const { call, rest } = await newcomer(stack);
stack.clock.now = Date.parse("2026-05-08T10:00:00Z");

test("a created habit is daily and good unless told to be bad", async () => {
  const { facts, text } = await call("create-habit", { name: "Meditate", time_of_day: "morning" });
  const { id } = facts.habit;
  expect(facts).toEqual({
    ...{ today: "2026-05-08", weekday: "Friday", now: "2026-05-08T10:00", time_zone: "UTC" },
    habit: {
      ...{ id, name: "Meditate", type: "good", frequency: "daily", time_of_day: "morning" },
      ...{ streak_count: 0, longest_streak: 0 },
    },
  });
  expect(text).toBe(
    `Today is Friday 2026-05-08, 10:00 in UTC.\nCreated #${id} "Meditate": good habit, daily, streak 0, morning`,
  );
  const bad = await call("create-habit", { name: "Smoking", type: "bad" });
  expect(bad.facts.habit.type).toBe("bad");
});

test("completing a bad habit is told as having avoided it", async () => {
  const { facts } = await call("create-habit", { name: "Sweets", type: "bad" });
  const { text } = await call("complete-habit", { habit_id: facts.habit.id });
  expect(text).toContain(`Avoided today: #${facts.habit.id} "Sweets"`);
});

test("a second completion is a refusal that says nothing needs to be done", async () => {
  const { facts } = await call("create-habit", { name: "Run" });
  const { id } = facts.habit;
  const first = await call("complete-habit", { habit_id: String(id), undo: false, note: null });
  expect(first.facts.habit).toMatchObject({ streak_count: 1, is_completed_today: true });
  const second = await call("complete-habit", { habit_id: id });
  expect(second).toMatchObject({ isError: true, facts: { code: "conflict", today: "2026-05-08" } });
  expect(second.text).toContain("; nothing was changed and nothing needs to be done.");
});

test("yesterday is completed, and taken back, on its date", async () => {
  const { facts } = await call("create-habit", { name: "Swim" });
  const { id } = facts.habit;
  const yesterday = await call("complete-habit", { habit_id: id, date: "2026-05-07" });
  expect(yesterday.facts).toMatchObject({ date: "2026-05-07", habit: { id, streak_count: 1 } });
  expect(yesterday.facts.habit.is_completed_today).toBeUndefined();
  expect(yesterday.text).toContain(`Done on 2026-05-07: #${id} "Swim": good habit, daily, streak 1`);
  const undone = await call("complete-habit", { habit_id: id, date: "2026-05-07", undo: true });
  expect(undone.facts).toMatchObject({ date: "2026-05-07", habit: { id, streak_count: 0 } });
  expect(undone.text).toContain(`Not done on 2026-05-07 any more: #${id} "Swim"`);
  const none = await call("complete-habit", { habit_id: id, undo: true });
  expect(none.text).toContain("; nothing was changed");
  const old = await call("complete-habit", { habit_id: id, date: "2025-05-06" });
  expect(old).toMatchObject({ isError: true, facts: { code: "invalid" } });
  expect(old.text).toStartWith("The date field must be today (2026-05-08) or up to 366 days before it");
});

test("today's habits leave out what is not due, and can be narrowed to a time of day", async () => {
  const weekend = { name: "Long walk", type: "good", frequency: "custom", schedule: { weekdays: [6, 7] } };
  await rest("POST", "/habits", weekend);
  const { facts } = await call("get-today-habits");
  const names = facts.habits.map(({ name }: { name: string }) => name);
  expect(names).toEqual(["Meditate", "Smoking", "Sweets", "Run", "Swim"]);
  const morning = await call("get-today-habits", { time_of_day: "morning" });
  expect(morning.facts.habits).toHaveLength(1);
});

test("all habits are listed with their rhythm, week, best streak and the day through which the streak lives", async () => {
  const { call } = await newcomer(stack);
  const before = stack.clock.now;
  const custom = async (name: string, schedule: object) =>
    (await call("create-habit", { name, schedule })).facts.habit.id;
  stack.clock.now = Date.parse("2026-05-04T10:00:00Z");
  const gym = await custom("Gym", { times_per_week: 3 });
  const plants = await custom("Plants", { every_days: 3 });
  const walk = await custom("Long walk", { weekdays: [7, 6] });
  for (const date of ["2026-05-04", "2026-05-06"]) {
    stack.clock.now = Date.parse(`${date}T10:00:00Z`);
    await call("complete-habit", { habit_id: gym });
  }
  await call("complete-habit", { habit_id: plants });
  stack.clock.now = before;
  const { facts, text } = await call("get-today-habits", { all: true });
  expect(text.split("\n").slice(1)).toEqual([
    `#${gym} "Gym": good habit, 3 times a week, 2 of 3 this week, streak 0, due today`,
    `#${plants} "Plants": good habit, every 3 days, streak 1 alive through 2026-05-10, grace left 1`,
    `#${walk} "Long walk": good habit, Sat/Sun, 0 of 2 this week, streak 0`,
  ]);
  expect(facts.habits[0]).toEqual({
    ...{ id: gym, name: "Gym", type: "good", frequency: "custom", schedule: { times_per_week: 3 } },
    ...{ this_week: "2 of 3", streak_count: 0, longest_streak: 0, is_due_today: true },
  });
  expect(facts.habits[1]).toMatchObject({ longest_streak: 1, streak_alive_through: "2026-05-10" });
  expect(facts.habits[1]).not.toHaveProperty("is_due_today");
  const due = await call("get-today-habits");
  expect(due.facts.habits.map(({ id }: { id: number }) => id)).toEqual([gym]);
  expect(due.text).toContain("2 of 3 this week, streak 0");
  await call("complete-habit", { habit_id: gym });
  stack.clock.now = Date.parse("2026-05-20T10:00:00Z");
  expect((await call("get-today-habits")).text).toContain("0 of 3 this week, streak 0 (best 1)");
  stack.clock.now = before;
});

test("a hundred habits are shown at the most, and it is said how many there are", async () => {
  const { call, rest } = await newcomer(stack);
  expect((await call("get-today-habits", { all: true })).text).toEndWith("There are no habits.");
  expect((await call("get-today-habits")).text).toEndWith("No habits are due today.");
  const body = { type: "good", frequency: "weekly" };
  const habits = Array.from({ length: 103 }, (_, n) => ({
    ...{ method: "POST", path: "/habits" },
    body: { ...body, name: `h${n}`, ...(n < 3 && { time_of_day: "evening" }) },
  }));
  for (const operations of [habits.slice(0, 50), habits.slice(50, 100), habits.slice(100)])
    await rest("POST", "/batch", { operations });
  const { facts, text } = await call("get-today-habits", { all: true });
  expect([facts.habits.length, facts.total]).toEqual([100, 103]);
  const last = facts.habits[99].id;
  expect(text).toEndWith(`These are 100 of 103 habits. More with cursor ${last}`);
  const others = await call("get-today-habits", { all: true, cursor: facts.next_cursor });
  expect(others.facts.habits.map(({ id }: { id: number }) => id)).toEqual([last + 1, last + 2, last + 3]);
  expect(others.facts).not.toHaveProperty("next_cursor");
  const evening = await call("get-today-habits", { all: true, time_of_day: "evening" });
  expect([evening.facts.habits.length, "total" in evening.facts]).toEqual([3, false]);
});

test("25 habits cost under 1,450 tokens structured and under 850 as text", async () => {
  const { call } = await newcomer(stack);
  const schedules = [null, { weekdays: [1, 3, 5] }, { times_per_week: 3 }, null];
  const names = ["Read 20 pages", "Go for a run", "Call a friend", "Meditate"];
  for (let index = 0; index < 25; index++) {
    const { habit } = (
      await call("create-habit", {
        ...{ name: names[index % 4], schedule: schedules[index % 4] },
        ...(index % 3 === 0 && { time_of_day: "morning", new_category: "Health" }),
      })
    ).facts;
    if (index % 2 === 0) await call("complete-habit", { habit_id: habit.id });
  }
  const { text, facts } = await call("get-today-habits");
  expect(facts.habits).toHaveLength(25);
  expect(encode(JSON.stringify(facts)).length).toBeLessThan(1_450);
  expect(encode(text).length).toBeLessThan(850);
});

test("text and structured content name the same facts, the category by its name", async () => {
  const { id } = (await rest("POST", "/categories", { name: "Health" })).body;
  const sleep = { name: "Sleep", category_id: id, description: "In bed\nby ten", grace_days: 2 };
  const { facts, text } = await call("create-habit", sleep);
  expect(facts.habit).toMatchObject({ category: "Health", description: "In bed\nby ten" });
  expect(text).toEndWith('"Sleep": good habit, daily, streak 0, in "Health"\n  description: "In bed by ten"');
});

describe("past days", async () => {
  const { call, wrong } = await newcomer(stack);
  const ids: Record<string, number> = {};

  /** Read was done on four days of two months, Floss yesterday. Floss forgives no miss. */
  beforeAll(async () => {
    stack.clock.now = Date.parse("2026-03-02T10:00:00Z");
    for (const [name, grace_days] of Object.entries({ Read: 3, Floss: 0, Walk: 1 })) {
      const { habit } = (await call("create-habit", { name, grace_days, description: `${name} more` })).facts;
      ids[name] = habit.id;
    }
    const done = { Read: ["2026-03-01", "2026-03-02", "2026-05-06", "2026-05-07"], Floss: ["2026-05-07"] };
    for (const [name, dates] of Object.entries(done))
      for (const date of dates) {
        stack.clock.now = Date.parse(`${date}T10:00:00Z`);
        await call("complete-habit", { habit_id: ids[name] });
      }
    stack.clock.now = Date.parse("2026-05-08T10:00:00Z");
  });

  const linesOf = async (args: object) => (await call("get-today-habits", args)).text.split("\n").slice(1);

  test("the days of a period are told month by month, of all habits or of those found by words", async () => {
    const { facts, text } = await call("get-today-habits", { query: "more READ", from: "2026-03-08" });
    expect(facts).toMatchObject({ from: "2026-03-08", to: "2026-05-08" });
    expect(facts.habits).toEqual([
      {
        ...{ id: ids.Read, name: "Read", description: "Read more", type: "good", frequency: "daily" },
        ...{ streak_count: 2, longest_streak: 2, done: { "2026-05": [6, 7] } },
      },
    ]);
    expect(text.split("\n").slice(1, 3)).toEqual([
      "Days done from 2026-03-08 to 2026-05-08:",
      `#${ids.Read} "Read": good habit, daily, streak 2, done May 6 7`,
    ]);
    const march = (await linesOf({ from: "2026-03-01", to: "2026-03-02" })).filter((line) =>
      line.startsWith("#"),
    );
    expect(march.map((line) => line.split(", ").at(-1))).toEqual([
      "done Mar 1 2",
      "not done then",
      "not done then",
    ]);
  });

  test("of more than two months the number is told, and of more than a year its end", async () => {
    const { facts, text } = await call("get-today-habits", { query: "read", from: "2020-01-01" });
    expect(facts).toMatchObject({
      from: "2025-05-08",
      habits: [{ done_by_month: { "2026-03": 2, "2026-05": 2 } }],
    });
    expect(text).toContain("done 2026-03: 2, 2026-05: 2");
  });

  test.each([
    [{ to: "2026-05-01" }, "to"],
    [{ from: "2026-05-02", to: "2026-05-01" }, "to"],
    [{ from: "2025-05-01", to: "2026-05-08" }, "to"],
  ])("%j is refused for its %s", async (args, field) =>
    expect(await wrong("get-today-habits", args)).toEqual([field]),
  );

  test("a streak that ends tonight is told as such, and where all are listed how much each forgives", async () => {
    const { facts } = await call("get-today-habits");
    expect(facts.habits.map(({ ends_tonight = false }) => ends_tonight)).toEqual([false, true, false]);
    const lines = (await linesOf({ all: true })).filter((line) => line.startsWith("#"));
    expect(lines[0]).toContain("streak 2 alive through 2026-05-11, grace left 3");
    expect(lines[1]).toContain("streak 1 ends tonight, grace left 0");
    await call("complete-habit", { habit_id: ids.Floss });
    expect((await linesOf({ query: "floss" }))[0]).toContain("streak 2 alive through 2026-05-09");
  });

  test("words that no habit has find none", async () => {
    expect(await linesOf({ query: "knit" })).toEqual(["No habits match."]);
  });
});
