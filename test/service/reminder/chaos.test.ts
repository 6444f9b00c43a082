import { expect, test } from "bun:test";
import { RedisClient } from "bun";
import { startWorld } from "../../support/chaos/world.ts";
import { floodSecret, seedReminders } from "../../support/flood.ts";
import { startReceiver } from "../../support/reminder/receiver.ts";
import { eventually } from "../../support/reminder/stack.ts";

const users = 10;
const remindersPerUser = 200;
const habitsPerUser = 100;
const total = users * (remindersPerUser + habitsPerUser);

const world = await startWorld("reminders", { WEBHOOK_ALLOW_LOOPBACK: "yes" });
const { sql, databaseUrl, redisUrl, kill } = world;
const receiver = startReceiver(() => floodSecret);
const redis = new RedisClient(redisUrl);

/** The receiver answers this many requests; later ones wait until it answers all. */
let budget = 0;
let opened = Promise.withResolvers<void>();
receiver.behaviour.answer = async () => {
  if (budget-- <= 0) await opened.promise;
  return new Response(null, { status: 204 });
};
function openFor(requests: number): void {
  opened.resolve();
  opened = Promise.withResolvers();
  budget = requests;
}

const idsIn = async (status: string): Promise<string[]> =>
  (await sql`select id::text from reminder_deliveries where status = ${status}`).map(
    (row: { id: string }) => row.id,
  );

/**
 * Kills both workers while the receiver holds its answers.
 * @returns the deliveries caught at each kill
 */
async function killWorkers() {
  const before = receiver.received.length;
  await eventually(() => receiver.received.length > before + 50);
  // Pending jobs could claim fewer than this before the kill.
  await eventually(async () => (await idsIn("queued")).length > 900);
  kill("workers");
  await Bun.sleep(100);
  const reached = new Set(receiver.received.map(({ id }) => id));
  const sending = await idsIn("sending");
  return {
    claimedNotSent: (await idsIn("queued")).length,
    sentNotMarked: sending.filter((id) => reached.has(id)),
  };
}

test("kills of workers between claim and send and between send and mark, Redis wiped and killed, Postgres killed: each reminder once", async () => {
  await seedReminders(databaseUrl, {
    url: receiver.url,
    prefix: "chaos",
    users,
    remindersPerUser,
    habitsPerUser,
    dueAt: Date.now() + 1_000,
    spreadMs: 500,
  });
  const first = await killWorkers();
  openFor(300);
  const second = await killWorkers();
  openFor(400);
  await eventually(() => budget <= 0, 60_000);
  await redis.send("FLUSHALL", []);
  openFor(200);
  await Bun.sleep(1_000);
  kill("redis");
  kill("postgres");
  openFor(Number.POSITIVE_INFINITY);
  await Bun.sleep(2_000);
  await redis.send("FLUSHALL", []);
  await eventually(async () => (await sentCount()) === total, 90_000);

  const caught = [first, second];
  for (const { claimedNotSent, sentNotMarked } of caught) {
    expect(claimedNotSent).toBeGreaterThan(0);
    expect(sentNotMarked.length).toBeGreaterThan(0);
  }
  const repeatable = new Set(caught.flatMap(({ sentNotMarked }) => sentNotMarked));
  expectOnce(repeatable);
  redis.close();
}, 180_000);

const sentCount = async (): Promise<number> =>
  (
    await sql`select count(*)::int as count from reminder_deliveries where status = 'sent'`.catch(() => [
      { count: 0 },
    ])
  )[0].count;

function expectOnce(repeatable: ReadonlySet<string>): void {
  const times = new Map<string, number>();
  for (const { id } of receiver.received) times.set(id, (times.get(id) ?? 0) + 1);
  expect(times.size).toBe(total);
  const things = new Set(receiver.received.map(({ event }) => (event.data.todo ?? event.data.habit).id));
  expect(things.size).toBe(total);
  const repeated = [...times].filter(([, count]) => count > 1).map(([id]) => id);
  console.log(
    `${repeated.length} ids came again, of ${repeatable.size} whose sender was killed before its mark`,
  );
  expect(repeated.filter((id) => !repeatable.has(id))).toEqual([]);
  expect(receiver.forged).toEqual([]);
}
