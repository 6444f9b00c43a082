import { afterAll, expect, test } from "bun:test";
import { RedisClient } from "bun";
import { startWorld } from "../../support/chaos/world.ts";
import { floodSecret, seedReminders } from "../../support/flood.ts";
import { type Received, startReceiver } from "../../support/reminder/receiver.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { lastFullHour, zoneWhere } from "../../support/reminder/zones.ts";

const users = 10;
const remindersPerUser = 200;
const habitsPerUser = 100;
const total = users * (remindersPerUser + habitsPerUser);
const readers = 200;

const { sql, databaseUrl, redisUrl, kill } = await startWorld("reminders", { WEBHOOK_ALLOW_LOOPBACK: "yes" });
const receiver = startReceiver(() => floodSecret);
const redis = new RedisClient(redisUrl);
afterAll(() => redis.close());

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

/** A delivery that failed twice waits for half a minute, and a busy machine starts workers slowly. */
const patienceMs = 180_000;

/** Redis may just be coming back. */
const wipeRedis = () =>
  eventually(() =>
    redis.send("FLUSHALL", []).then(
      () => true,
      () => false,
    ),
  );

/** Waits until that many deliveries of a test's users are marked as sent; none is while PostgreSQL is away. */
const sentAre = (count: number, users: string) =>
  eventually(async () => {
    const sent = sql`select count(*)::int as count from reminder_deliveries
      where status = 'sent' and user_id like ${`${users}-%`}`;
    const [row] = await sent.catch(() => []);
    return row?.count === count;
  }, patienceMs);

/** Expects one message for each id, and more only for those whose sender was killed or gave up before its mark. */
function expectOnce(received: readonly Received[], count: number, caught: readonly string[]): void {
  const times = new Map<string, number>();
  for (const { id } of received) times.set(id, (times.get(id) ?? 0) + 1);
  expect(times.size).toBe(count);
  const repeated = [...times].filter(([, arrivals]) => arrivals > 1).map(([id]) => id);
  expect(repeated.filter((id) => !caught.includes(id) && !receiver.abandoned.has(id))).toEqual([]);
  expect(receiver.forged).toEqual([]);
}

/**
 * Kills both workers while the receiver holds its answers.
 * @returns the deliveries caught at each kill
 */
async function killWorkers() {
  const before = receiver.received.length;
  await eventually(() => receiver.received.length > before + 50);
  // Pending jobs could claim fewer than this before the kill.
  await eventually(async () => (await idsIn("queued")).length > 900);
  await kill("workers");
  await Bun.sleep(100);
  const reached = new Set(receiver.received.map(({ id }) => id));
  const sending = await idsIn("sending");
  return {
    caught: sending,
    claimedNotSent: (await idsIn("queued")).length,
    sentNotMarked: sending.filter((id) => reached.has(id)).length,
  };
}

test("kills of workers between claim and send and between send and mark, Redis wiped and killed, Postgres killed: each reminder once", async () => {
  await seedReminders(databaseUrl, {
    ...{ url: receiver.url, prefix: "chaos", users, remindersPerUser, habitsPerUser },
    ...{ dueAt: Date.now() + 1_000, spreadMs: 500 },
  });
  const first = await killWorkers();
  openFor(300);
  const second = await killWorkers();
  openFor(400);
  await eventually(() => budget <= 0, patienceMs);
  await wipeRedis();
  openFor(200);
  await Bun.sleep(1_000);
  const third = await idsIn("sending");
  await Promise.all([kill("redis"), kill("postgres")]);
  openFor(Number.POSITIVE_INFINITY);
  await Bun.sleep(2_000);
  await wipeRedis();
  await sentAre(total, "chaos");

  for (const { claimedNotSent, sentNotMarked } of [first, second]) {
    expect(claimedNotSent).toBeGreaterThan(0);
    expect(sentNotMarked).toBeGreaterThan(0);
  }
  expectOnce(receiver.received, total, [...first.caught, ...second.caught, ...third]);
  const things = new Set(receiver.received.map(({ event }) => (event.data.todo ?? event.data.habit).id));
  expect(things.size).toBe(total);
});

test("two workers, killed again and again, make one digest for each user", async () => {
  const at = lastFullHour();
  const own = sql`user_id like 'digest-%'`;
  await sql`
    insert into users (user_id, time_zone, zone_source, day_start_hour, reminder_channel, webhook_url, webhook_secret,
      created_at, updated_at)
    select 'digest-' || n, ${zoneWhere(8, at).name}, 'chosen', 0, 'webhook', ${receiver.url}, ${floodSecret}, now(), now()
    from generate_series(1, ${readers}) n`;
  await sql`
    insert into action_log (user_id, called_at, request_id, door, token_id, client_name, tool, arguments, outcome, after, replayed, calls, duration_ms)
    select user_id, ${at.toISOString()}::timestamptz - interval '1 minute', gen_random_uuid(), 'rest', 'token', 'Claude',
      'todo.create', '{}', 'ok', '{"todos/1":{}}', false, 1, 1 from users where ${own}`;
  receiver.behaviour.answer = async () => {
    await Bun.sleep(100);
    return new Response(null, { status: 204 });
  };
  await sql`update users set digest = 'daily', digest_at = ${at.toISOString()}::timestamptz where ${own}`;
  const caught: string[] = [];
  const digests = () => receiver.received.filter(({ event }) => event.data.changes !== undefined);
  for (let kills = 0; kills < 4; kills++) {
    await eventually(() => digests().length > kills * 40);
    await kill("workers");
    caught.push(...(await idsIn("sending")));
  }
  await sentAre(readers, "digest");
  expectOnce(digests(), readers, caught);
  expect(digests().every(({ event }) => event.data.changes === 1)).toBe(true);
  const [{ made }] = await sql`select count(*)::int as made from reminder_deliveries where ${own}`;
  expect(made).toBe(readers);
});
