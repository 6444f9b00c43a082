import { expect, test } from "bun:test";
import { useStack } from "../../../harness.ts";
import { agent } from "../../../support/mcp.ts";

const stack = await useStack({ travels: true });
stack.clock.now = Date.parse("2026-11-20T10:00:00Z");

async function withHabit(fields: object = {}) {
  const caller = await agent(stack, { sub: crypto.randomUUID() });
  const { facts } = await caller.call("create-habit", { name: "Read", ...fields });
  return { ...caller, habit_id: Number(facts.habit.id), habit: facts.habit };
}

test.each([
  [{ schedule: { times_per_week: 3 } }, "custom"],
  [{ frequency: "custom", schedule: { weekdays: [1, 3, 5] } }, "custom"],
  [{ frequency: "weekly" }, "weekly"],
  [{}, "daily"],
])("a habit is made with %j", async (rhythm, frequency) => {
  const { habit } = await withHabit(rhythm);
  expect(habit).toMatchObject({ frequency, ...rhythm });
});

test("set changes a habit's fields, and clear empties them", async () => {
  const { call, token, habit_id } = await withHabit({ time_of_day: "evening", description: "Paper" });
  const set = { name: "Read 20 pages", grace_days: 2, schedule: { every_days: 2 }, clear: ["description"] };
  const { facts, text } = await call("complete-habit", { habit_id, set });
  expect(facts.habit).toMatchObject({ name: "Read 20 pages", grace_days: 2, schedule: { every_days: 2 } });
  expect(text).toContain(`Changed #${habit_id} "Read 20 pages": good habit, every 2 days`);
  expect(text).toContain("grace days 2");
  const { body } = await stack.rest("GET", `/habits/${habit_id}`, { token });
  expect(body).toMatchObject({
    frequency: "custom",
    description: null,
    time_of_day: "evening",
    streak_count: 0,
  });
  const daily = await call("complete-habit", { habit_id, set: { frequency: "daily" } });
  expect(daily.facts.habit).not.toHaveProperty("schedule");
});

test("what is wrong with a change is told together, by its names, and changes nothing", async () => {
  const { call, token, habit_id } = await withHabit();
  const set = { title: "x", grace_days: 99, frequency: "yearly" };
  const { facts, text } = await call("complete-habit", { habit_id, set });
  expect(Object.keys(facts.errors)).toEqual(["title", "frequency", "grace_days"]);
  for (const sentence of Object.values(facts.errors).flat()) expect(text).toContain(`${sentence}`);
  expect(text).toContain("an argument beside set, which takes habit_id, name, type");
  for (const [args, name] of [
    [{ set: {} }, "set"],
    [{ set: "Run" }, "set"],
    [{ set: { clear: ["name"] } }, "clear"],
    [{ set: { name: "Run", clear: ["schedule", "grace_days"], grace_days: 2 } }, "clear"],
    [{ set: { name: "Run" }, date: "2026-11-19" }, "date"],
    [{ delete: true, undo: true }, "undo"],
  ] as const) {
    const refused = await call("complete-habit", { habit_id, ...args });
    expect([args, Object.keys(refused.facts.errors)]).toEqual([args, [name]]);
  }
  const { body } = await stack.rest("GET", `/habits/${habit_id}`, { token });
  expect(body).toMatchObject({ name: "Read", completions_count: 0 });
});

test("a habit is put aside by a pause without an end, to which `archived` leads, and comes back with its streak", async () => {
  const { call, token, habit_id } = await withHabit();
  await call("complete-habit", { habit_id });
  const refused = await call("complete-habit", { habit_id, set: { archived: true } });
  expect(refused.text).toContain("Habits have no archive; set paused_from without paused_through");
  const aside = await call("complete-habit", { habit_id, set: { paused_from: "2026-11-21" } });
  expect(aside.text).toContain("paused from 2026-11-21 on");
  stack.clock.now = Date.parse("2026-12-10T10:00:00Z");
  expect((await call("get-today-habits")).facts.habits).toEqual([]);
  await call("complete-habit", { habit_id, set: { clear: ["paused_from", "paused_through"] } });
  expect((await call("get-today-habits")).facts.habits).toMatchObject([{ id: habit_id, streak_count: 1 }]);
  stack.clock.now = Date.parse("2026-11-20T10:00:00Z");
  expect((await stack.rest("GET", `/habits/${habit_id}`, { token })).body.paused_from).toBeNull();
});

test("several habits are changed alike, and deleted, with their names in the answer", async () => {
  const { call, token, habit_id } = await withHabit();
  const other = (await call("create-habit", { name: "Run" })).facts.habit.id;
  const changed = await call("complete-habit", {
    habit_ids: [habit_id, other],
    set: { time_of_day: "morning" },
  });
  expect(changed.facts.done).toBe(2);
  const gone = await call("complete-habit", {
    habit_ids: [habit_id, other],
    delete: true,
    idempotency_key: "k",
  });
  expect(gone.facts.results).toEqual([
    { deleted_habit_id: habit_id, name: "Read" },
    { deleted_habit_id: other, name: "Run" },
  ]);
  expect(gone.text).toContain(`Deleted habit #${other} "Run" with its completions.`);
  expect(gone.text).toContain("/account/actions");
  const again = await call("complete-habit", {
    habit_ids: [habit_id, other],
    delete: true,
    idempotency_key: "k",
  });
  expect(again.facts).toMatchObject({ results: gone.facts.results, replayed: true });
  expect((await stack.rest("GET", "/habits", { token })).body.meta.total).toBe(0);
});

test("an answer of an earlier release, which has no name, is replayed without it", async () => {
  const { deletedHabit } = await import("../../../../shared/contracts/habit/result.ts");
  expect(deletedHabit(null, { habit_id: 7 }).lines).toEqual(["Deleted habit #7 with its completions."]);
});

test("days are skipped, one or several of several habits, and asked for again", async () => {
  const { call, token, habit_id } = await withHabit();
  const other = (await call("create-habit", { name: "Run" })).facts.habit.id;
  const skipped = async (id = habit_id) =>
    (await stack.rest("GET", `/habits/${id}`, { token })).body.skipped_dates;
  const today = await call("complete-habit", { habit_id, skip: true, undo: false, date: null });
  expect(today.text).toContain(`Skipped today: #${habit_id} "Read"`);
  expect((await call("get-today-habits")).facts.habits).toMatchObject([{ id: other }]);
  const [habit_ids, dates] = [
    [habit_id, other],
    ["2026-11-20", "2026-11-27"],
  ];
  const several = await call("complete-habit", { habit_ids, dates, skip: true });
  expect(several.facts).toMatchObject({ done: 3, results: [{ code: "conflict" }, {}, {}, {}] });
  expect(several.text).toContain(`Skipped on 2026-11-27: #${other} "Run"`);
  expect([await skipped(), await skipped(other)]).toEqual([dates, dates]);
  const one = await call("complete-habit", { habit_id, date: "2026-11-27", skip: true, undo: true });
  expect(one.text).toContain(`Not skipped on 2026-11-27 any more: #${habit_id}`);
  await call("complete-habit", { habit_ids, skip: true, undo: true });
  expect([await skipped(), await skipped(other)]).toEqual([[], ["2026-11-27"]]);
});

test.each([
  [{ skip: true, set: { name: "Run" } }, "skip"],
  [{ skip: true, delete: true }, "skip"],
  [{ skip: true, date: "2027-02-01" }, "date"],
])("%j is one act too many, or too far", async (args, name) => {
  const { call, habit_id } = await withHabit();
  const { facts } = await call("complete-habit", { habit_id, ...args });
  expect(Object.keys(facts.errors)).toEqual([name]);
});
