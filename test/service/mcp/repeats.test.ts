import { expect, test } from "bun:test";
import { createDispatch, createDispatchGroup } from "../../../api/mailbox/dispatch.ts";
import type { Mailbox } from "../../../api/mailbox/mailbox.ts";
import { useStack } from "../../harness.ts";
import { newcomer } from "../../support/mcp.ts";

const stack = await useStack({ travels: true });
const evening = Date.parse("2026-11-20T22:59:00Z");
const afterMidnight = Date.parse("2026-11-20T23:01:00Z");

async function withHabit() {
  stack.clock.now = evening;
  const person = await newcomer(stack, { zoneinfo: "Europe/Berlin" });
  const { facts } = await person.call("create-habit", { name: "Meditate" });
  return { ...person, habit_id: Number(facts.habit.id) };
}

const usedBefore = "The idempotency key was already used for this on 2026-11-20; use a new key.";

test("a key of yesterday's completion, or undo, is refused today and leaves the day as it is", async () => {
  const { call, habit_id } = await withHabit();
  for (const undo of [false, true]) {
    const args = { habit_id, undo, idempotency_key: `meditate ${undo}` };
    stack.clock.now = evening;
    expect((await call("complete-habit", args)).isError).toBe(false);
    stack.clock.now = afterMidnight;
    const again = await call("complete-habit", args);
    expect(again).toMatchObject({ isError: true, facts: { code: "invalid", today: "2026-11-21" } });
    expect(again.facts.errors).toEqual({ idempotency_key: [usedBefore] });
  }
  expect((await call("get-today-habits")).facts.habits[0].is_completed_today).toBeUndefined();
  expect((await call("complete-habit", { habit_id, idempotency_key: "new" })).isError).toBe(false);
});

test("with a date, a key stays that of one request, and its answer that of the first day", async () => {
  const { call, habit_id } = await withHabit();
  const args = { habit_id, date: "2026-11-20", idempotency_key: "dated" };
  const first = await call("complete-habit", args);
  stack.clock.now = afterMidnight;
  const again = await call("complete-habit", args);
  expect(again.facts).toEqual({ ...first.facts, now: undefined, replayed: true });
  expect(again.text).toStartWith("The answer of 2026-11-20 in Europe/Berlin to an earlier call");
});

test("a replay of another door's request, and of a refusal, has the day of its first run", async () => {
  const { call, rest, habit_id } = await withHabit();
  await rest("POST", "/todos", { title: "Milk" }, "milk");
  await call("complete-habit", { habit_id });
  const refusedArgs = { habit_id, date: "2026-11-20", idempotency_key: "twice" };
  await call("complete-habit", refusedArgs);
  stack.clock.now = afterMidnight;
  const todo = await call("create-todo", { title: "Milk", idempotency_key: "milk" });
  expect(todo.facts).toMatchObject({ today: "2026-11-20", replayed: true });
  const refused = await call("complete-habit", refusedArgs);
  expect(refused).toMatchObject({ isError: true, facts: { today: "2026-11-20", replayed: true } });
  expect(refused.text).toContain("The answer of 2026-11-20 in Europe/Berlin");
});

test("REST and a group refuse yesterday's key for a completion without a date", async () => {
  const { rest, habit_id } = await withHabit();
  const path = `/habits/${habit_id}/complete`;
  const single = () => rest("POST", path, undefined, "single");
  const group = () => rest("POST", "/batch", { operations: [{ method: "DELETE", path }] }, "group");
  expect((await single()).status).toBe(200);
  expect((await group()).body.results[0].status).toBe(200);
  stack.clock.now = afterMidnight;
  const { status, body } = await single();
  expect([status, body.errors]).toEqual([422, { "Idempotency-Key": [usedBefore] }]);
  expect((await group()).body.results[0]).toMatchObject({ status: 422 });
  stack.clock.now = evening;
  expect((await single()).headers.get("idempotent-replayed")).toBe("true");
});

test("a door that finds a lost answer compares the day, too", async () => {
  const { sub, rest, call, habit_id } = await withHabit();
  const { database, mailbox, serverClock } = await stack.page();
  const deaf: Mailbox = { ...mailbox, send: async () => "unanswered" };
  const now = () => stack.clock.now ?? 0;
  const dispatch = createDispatch(deaf, database, serverClock, now);
  const dispatchGroup = createDispatchGroup(deaf, database, serverClock, now);
  await call("complete-habit", { habit_id, idempotency_key: "lost" });
  const request = { name: "habit.complete", input: { habit_id }, idempotencyKey: "lost" } as const;
  const operations = [{ ...request, index: 0, references: {}, after: [] }];
  const ask = async () => {
    const group = await dispatchGroup({ userId: sub }, { atomic: false, operations });
    return [(await dispatch({ userId: sub }, request)).outcome, "map" in group ? group[0]?.outcome : group];
  };
  const answer = { body: (await rest("GET", `/habits/${habit_id}`)).body };
  expect(await ask()).toEqual([answer, answer]);
  stack.clock.now = afterMidnight;
  for (const outcome of await ask()) expect(outcome).toMatchObject({ refusal: { code: "invalid" } });
});

test("a key is one command on both doors: the second door answers the first one's outcome", async () => {
  const { call, rest } = await newcomer(stack);
  const made = await rest("POST", "/todos", { title: "Once" }, "shared");
  const tool = await call("create-todo", { title: "Once", idempotency_key: "shared" });
  expect(tool.facts).toMatchObject({ todo: { id: made.body.id }, replayed: true });
  const again = await rest("POST", "/todos", { title: "Once" }, "shared");
  expect([again.headers.get("idempotent-replayed"), again.body]).toEqual(["true", made.body]);
  const { id } = (await rest("POST", "/habits", { name: "Run", type: "good", frequency: "daily" })).body;
  await rest("POST", `/habits/${id}/complete`);
  await rest("DELETE", `/habits/${id}/complete`, undefined, "undo");
  const undo = await call("complete-habit", { habit_id: id, undo: true, idempotency_key: "undo" });
  expect(undo.facts).toMatchObject({ habit: { id, streak_count: 0 }, replayed: true });
});
