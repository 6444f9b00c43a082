import { expect, test } from "bun:test";
import { useStack } from "../../../harness.ts";
import { newcomer } from "../../../support/mcp.ts";

const stack = await useStack({ travels: true });
stack.clock.now = Date.parse("2026-11-20T10:00:00Z");

async function withHabit(fields: object = {}) {
  const person = await newcomer(stack);
  const { habit } = (await person.call("create-habit", { name: "Read", ...fields })).facts;
  const habit_id = Number(habit.id);
  const show = async (id = habit_id) => (await person.rest("GET", `/habits/${id}`)).body;
  return { ...person, habit_id, habit, show };
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
  const { call, show, habit_id } = await withHabit({ time_of_day: "evening", description: "Paper" });
  const set = { name: "Read 20 pages", grace_days: 2, schedule: { every_days: 2 }, clear: ["description"] };
  const { facts, text } = await call("complete-habit", { habit_id, set });
  expect(facts.habit).toMatchObject({ name: "Read 20 pages", grace_days: 2, schedule: { every_days: 2 } });
  expect(text).toContain(`Changed #${habit_id} "Read 20 pages": good habit, every 2 days`);
  expect(text).toContain("grace days 2");
  expect(await show()).toMatchObject({ frequency: "custom", description: null, time_of_day: "evening" });
  const daily = await call("complete-habit", { habit_id, set: { frequency: "daily" } });
  expect(daily.facts.habit).not.toHaveProperty("schedule");
});

test("what is wrong with a change is told together, by its names, and changes nothing", async () => {
  const { call, wrong, show, habit_id } = await withHabit();
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
    [{ skip: true, set: { name: "Run" } }, "skip"],
    [{ skip: true, delete: true }, "skip"],
    [{ skip: true, date: "2027-02-01" }, "date"],
  ] as const)
    expect([args, await wrong("complete-habit", { habit_id, ...args })]).toEqual([args, [name]]);
  expect(await show()).toMatchObject({ name: "Read", completions_count: 0, skipped_dates: [] });
});

test("a habit is put aside by a pause without an end, to which `archived` leads, and comes back with its streak", async () => {
  const { call, show, habit_id } = await withHabit();
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
  expect((await show()).paused_from).toBeNull();
});

test("several habits are changed alike, and deleted, with their names in the answer", async () => {
  const { call, rest, habit_id } = await withHabit();
  const other = (await call("create-habit", { name: "Run" })).facts.habit.id;
  const habit_ids = [habit_id, other];
  const changed = await call("complete-habit", { habit_ids, set: { time_of_day: "morning" } });
  expect(changed.facts.done).toBe(2);
  const args = { habit_ids, delete: true, idempotency_key: "k" };
  const gone = await call("complete-habit", args);
  expect(gone.facts.results).toEqual([
    { deleted_habit_id: habit_id, name: "Read" },
    { deleted_habit_id: other, name: "Run" },
  ]);
  expect(gone.text).toContain(`Deleted habit #${other} "Run" with its completions.`);
  expect(gone.text).toContain("/account/actions");
  const again = await call("complete-habit", args);
  expect(again.facts).toMatchObject({ results: gone.facts.results, replayed: true });
  expect((await rest("GET", "/habits")).body.meta.total).toBe(0);
});

test("an answer of an earlier release, which has no name, is replayed without it", async () => {
  const { deletedHabit } = await import("../../../../shared/contracts/habit/result.ts");
  expect(deletedHabit(null, { habit_id: 7 }).lines).toEqual(["Deleted habit #7 with its completions."]);
});

test("days are skipped, one or several of several habits, and asked for again", async () => {
  const { call, show, habit_id } = await withHabit();
  const other = (await call("create-habit", { name: "Run" })).facts.habit.id;
  const skipped = async (id = habit_id) => (await show(id)).skipped_dates;
  const today = await call("complete-habit", { habit_id, skip: true, undo: false, date: null });
  expect(today.text).toContain(`Skipped today: #${habit_id} "Read"`);
  expect((await call("get-today-habits")).facts.habits).toMatchObject([{ id: other }]);
  const habit_ids = [habit_id, other];
  const dates = ["2026-11-20", "2026-11-27"];
  const several = await call("complete-habit", { habit_ids, dates, skip: true });
  expect(several.facts).toMatchObject({ done: 3, results: [{ code: "conflict" }, {}, {}, {}] });
  expect(several.text).toContain(`Skipped on 2026-11-27: #${other} "Run"`);
  expect([await skipped(), await skipped(other)]).toEqual([dates, dates]);
  const one = await call("complete-habit", { habit_id, date: "2026-11-27", skip: true, undo: true });
  expect(one.text).toContain(`Not skipped on 2026-11-27 any more: #${habit_id}`);
  await call("complete-habit", { habit_ids, skip: true, undo: true });
  expect([await skipped(), await skipped(other)]).toEqual([[], ["2026-11-27"]]);
});
