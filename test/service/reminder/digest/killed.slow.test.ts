import { expect, test } from "bun:test";
import { startWorld } from "../../../support/chaos/world.ts";
import { floodSecret } from "../../../support/flood.ts";
import { startReceiver } from "../../../support/reminder/receiver.ts";
import { eventually } from "../../../support/reminder/stack.ts";
import { lastFullHour, zoneWhere } from "../../../support/reminder/zones.ts";

const { sql, kill } = await startWorld("digest", { WEBHOOK_ALLOW_LOOPBACK: "yes" });
const receiver = startReceiver(() => floodSecret);
const users = 300;

test("two workers, killed again and again, make one digest for each user", async () => {
  const at = lastFullHour();
  await sql`
    insert into users (user_id, time_zone, zone_source, day_start_hour, reminder_channel, webhook_url, webhook_secret,
      created_at, updated_at)
    select 'digest-' || n, ${zoneWhere(8, at).name}, 'chosen', 0, 'webhook', ${receiver.url}, ${floodSecret}, now(), now()
    from generate_series(1, ${users}) n`;
  await sql`
    insert into action_log (user_id, called_at, request_id, door, token_id, client_name, tool, arguments, outcome, after, replayed, calls, duration_ms)
    select user_id, ${at.toISOString()}::timestamptz - interval '1 minute', gen_random_uuid(), 'rest', 'token', 'Claude',
      'todo.create', '{}', 'ok', '{"todos/1":{}}', false, 1, 1 from users`;
  receiver.behaviour.answer = async () => {
    await Bun.sleep(100);
    return new Response(null, { status: 204 });
  };
  await sql`update users set digest = 'daily', digest_at = ${at.toISOString()}::timestamptz`;
  const sending: string[] = [];
  for (let kills = 0; kills < 4; kills++) {
    await eventually(() => receiver.received.length > kills * 50, 30_000);
    await kill("workers");
    const caught = await sql`select id::text from reminder_deliveries where status = 'sending'`;
    sending.push(...caught.map(({ id }: { id: string }) => id));
  }
  const sent = async () =>
    (
      await sql`select count(*)::int as n from reminder_deliveries where status = 'sent' and about = 'digest'`
    )[0].n;
  await eventually(async () => (await sent()) === users, 90_000);
  const times = new Map<string, number>();
  for (const { id } of receiver.received) times.set(id, (times.get(id) ?? 0) + 1);
  expect(times.size).toBe(users);
  const repeated = [...times].filter(([, count]) => count > 1).map(([id]) => id);
  expect(repeated.filter((id) => !sending.includes(id))).toEqual([]);
  expect(receiver.received.every(({ event }) => event.data.changes === 1)).toBe(true);
  const [{ n }] = await sql`select count(*)::int as n from reminder_deliveries`;
  expect(n).toBe(users);
}, 180_000);
