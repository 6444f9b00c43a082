import { afterAll } from "bun:test";
import { SQL } from "bun";
import { Webhook } from "standardwebhooks";

export const floodSecret = `whsec_${Buffer.from("the flood's thirty-two byte key!").toString("base64")}`;

type Seed = Readonly<{
  url: string;
  /** The prefix of the users' names. */
  prefix: string;
  users: number;
  remindersPerUser: number;
  /** Habits whose daily time is the minute of `dueAt`, or the one before it. */
  habitsPerUser?: number;
  /** The time of the first reminder (epoch ms); the others follow evenly. */
  dueAt: number;
  spreadMs: number;
}>;

/** Users with a webhook at `url`, each with todos, habits and reminders, in the state that commands would leave. */
export async function seedReminders(databaseUrl: string, seed: Seed): Promise<void> {
  const { url, prefix, users, remindersPerUser, habitsPerUser = 0, dueAt, spreadMs } = seed;
  const total = users * remindersPerUser;
  const at = new Date(dueAt).toISOString();
  await using sql = new SQL(databaseUrl, { max: 1 });
  const owner = `'${prefix}-' || (n % ${users})`;
  await sql.unsafe(
    `insert into users (user_id, time_zone, zone_source, day_start_hour, reminder_channel, webhook_url,
       webhook_secret, created_at, updated_at)
     select ${owner}, 'UTC', 'claim', 0, 'webhook', $1, $2, now(), now() from generate_series(0, ${users - 1}) n`,
    [url, floodSecret],
  );
  await sql.unsafe(
    `insert into todos (user_id, id, title, is_completed, recurrence_from, created_at, updated_at)
     select ${owner}, 1000000 + n, 'Todo ' || n, false, 'due', now(), now() from generate_series(0, ${total - 1}) n`,
  );
  await sql.unsafe(
    `insert into reminders (user_id, todo_id, remind_at, status, created_at, updated_at)
     select ${owner}, 1000000 + n, $1::timestamptz + n * interval '${spreadMs / total} ms', 'scheduled', now(), now()
     from generate_series(0, ${total - 1}) n`,
    [at],
  );
  await sql.unsafe(
    `insert into habits (user_id, id, name, type, frequency, grace_days, completions_count, streak, longest_streak,
       recent_dates, remind_at, rings_at, created_at, updated_at)
     select ${owner}, 5000000 + n, 'Habit ' || n, 'good', 'daily', 1, 0, 0, 0, '{}', $1::text, $2::timestamptz,
       now(), now() from generate_series(0, ${users * habitsPerUser - 1}) n`,
    [at.slice(11, 16), `${at.slice(0, 16)}Z`],
  );
}

const accept = async () => new Response(null, { status: 204 });

/** Counts requests, and checks every hundredth signature with the public library. */
export function startFloodReceiver(answer = accept) {
  /** Milliseconds from each reminder's time to its request, in order of arrival. */
  const lateness: number[] = [];
  /** The number of requests for each delivery's id. */
  const times = new Map<string, number>();
  /** The todos and habits of the reminders. */
  const things = new Set<number>();
  const webhook = new Webhook(floodSecret);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text();
      const id = request.headers.get("webhook-id") ?? "";
      if (times.size % 100 === 0) webhook.verify(body, Object.fromEntries(request.headers));
      const { data } = JSON.parse(body);
      lateness.push(Date.now() - Date.parse(data.remind_at));
      times.set(id, (times.get(id) ?? 0) + 1);
      things.add((data.todo ?? data.habit).id);
      return answer();
    },
  });
  afterAll(() => server.stop(true));
  return { url: `http://127.0.0.1:${server.port}/`, lateness, times, things };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
