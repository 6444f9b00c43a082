import { expect, test } from "bun:test";
import { useStack } from "../../harness.ts";
import { percentile, seedReminders, startFloodReceiver } from "../../support/flood.ts";
import { eventually, query } from "../../support/reminder/stack.ts";

const { config } = await useStack();
const { databaseUrl } = config;

test("healthy, a reminder is less than 2 s late in 99 of 100 cases", async () => {
  const receiver = startFloodReceiver();
  const seed = { url: receiver.url, prefix: "calm", users: 50, remindersPerUser: 4, spreadMs: 2_000 };
  await seedReminders(databaseUrl, { ...seed, dueAt: Date.now() + 500 });
  await eventually(() => receiver.things.size === 200);
  expect(percentile(receiver.lateness, 0.99)).toBeLessThan(2_000);
  expect(Math.min(...receiver.lateness)).toBeGreaterThanOrEqual(0);
});

test("5,000 reminders of one second reach the receiver once each, faster than a million an hour", async () => {
  const receiver = startFloodReceiver();
  const seed = { url: receiver.url, prefix: "flood", users: 500, remindersPerUser: 10, spreadMs: 1_000 };
  await seedReminders(databaseUrl, { ...seed, dueAt: Date.now() + 1_000 });
  await eventually(() => receiver.things.size === 5_000);
  await Bun.sleep(1_500);
  expect(receiver.times.size).toBe(5_000);
  expect(receiver.lateness).toHaveLength(5_000);
  const seconds = percentile(receiver.lateness, 1) / 1_000;
  console.log(`5,000 reminders: the last ${seconds.toFixed(2)} s after its time`);
  expect(5_000 / (seconds + 1)).toBeGreaterThan(1_000_000 / 3_600);
  const states = await query(
    databaseUrl,
    "select distinct status from reminders where user_id like 'flood-%'",
  );
  expect(states).toEqual([{ status: "sent" }]);
});

test("a receiver that never answers holds up the others for one time-out at most", async () => {
  const stalled = startFloodReceiver(() => new Promise(() => {}));
  const healthy = startFloodReceiver();
  const many = { url: stalled.url, prefix: "stalled", users: 1, remindersPerUser: 3_000, spreadMs: 1 };
  await seedReminders(databaseUrl, { ...many, dueAt: Date.now() });
  const few = { url: healthy.url, prefix: "healthy", users: 10, remindersPerUser: 20, spreadMs: 2_000 };
  await seedReminders(databaseUrl, { ...few, dueAt: Date.now() + 11_000 });
  await eventually(() => healthy.things.size === 200);
  expect(percentile(healthy.lateness, 0.99)).toBeLessThan(2_500);
});
