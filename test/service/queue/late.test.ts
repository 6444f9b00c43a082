import { afterAll, expect, test } from "bun:test";
import { patienceMs, type QueuedCommand } from "../../../shared/queue/batch.ts";
import { useStack } from "../../harness.ts";
import { openOwnMailbox } from "../../support/signed.ts";

const { config, rest } = await useStack();
const mailbox = await openOwnMailbox(config);
afterAll(() => mailbox.close());

const commandOf = (name: QueuedCommand["name"], input: object, sentAt = Date.now()) => ({
  id: Bun.randomUUIDv7(),
  userId: "ada",
  name,
  input,
  fingerprint: null,
  acceptedAt: Date.now(),
  sentAt,
});

async function outcomeOf(command: ReturnType<typeof commandOf>) {
  const delivery = await mailbox.send(command);
  return typeof delivery === "object" ? delivery.outcome : delivery;
}

const notApplied = { refusal: { code: "overloaded", applied: "no" } };

test("a command that arrives after its caller has given up is not run, and its answer says so", async () => {
  const late = commandOf("todo.create", { title: "too late" }, Date.now() - patienceMs);
  expect(await outcomeOf(late)).toMatchObject(notApplied);
  expect((await rest("GET", "/todos")).body.data).toEqual([]);
});

test("a late command that had been run in time is answered as it was then", async () => {
  const command = commandOf("todo.create", { title: "in time" });
  const first = await outcomeOf(command);
  expect(await outcomeOf({ ...command, sentAt: command.sentAt - 60_000 })).toEqual(first);
  expect((await rest("GET", "/todos")).body.meta.total).toBe(1);
});

test("a late command neither delays nor spoils the others of its batch", async () => {
  const others = ["a", "b", "c"].map((title) => commandOf("todo.create", { title }));
  const late = commandOf("todo.create", { title: "too late again" }, 0);
  const outcomes = await Promise.all([late, ...others].map(outcomeOf));
  expect(outcomes[0]).toMatchObject(notApplied);
  expect(outcomes.slice(1).every((outcome) => typeof outcome === "object" && "body" in outcome)).toBe(true);
});

test("a 422 without a key stays one when its job comes again and would now succeed", async () => {
  const habit = (await rest("POST", "/habits", { body: { name: "h", type: "good", frequency: "daily" } }))
    .body;
  const update = commandOf("habit.update", { habit_id: habit.id, schedule: { every_days: 2 } });
  const refused = await outcomeOf(update);
  expect(refused).toMatchObject({ refusal: { code: "invalid" } });
  await rest("PATCH", `/habits/${habit.id}`, { body: { frequency: "custom" } });
  expect(await outcomeOf(update)).toEqual(refused);
  expect((await rest("GET", `/habits/${habit.id}`)).body.schedule).toBeNull();
});

test("what succeeded without a key stays so when its job comes again and would now be a 422", async () => {
  const category = (await rest("POST", "/categories", { body: { name: "c" } })).body;
  const create = commandOf("todo.create", { title: "filed", category_id: category.id });
  const first = await outcomeOf(create);
  expect(first).toMatchObject({ body: { title: "filed" } });
  await rest("DELETE", `/categories/${category.id}`);
  expect(await outcomeOf(create)).toEqual(first);
});
