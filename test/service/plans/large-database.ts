import { SQL } from "bun";
import { seed } from "../../labs/bench/seed.ts";

export const users = 1_000;

/** Its name differs from those on other servers, where tests count connections by it. */
export async function createPlansDatabase(serverUrl: string): Promise<string> {
  const sql = new SQL(serverUrl, { max: 1 });
  await sql`create database plans`;
  await sql.close();
  return Object.assign(new URL(serverUrl), { pathname: "/plans" }).href;
}

/**
 * Fills every table of users until only an index makes sense: a user has 1/1,000 of the rows, so a scan reads
 * a thousand times too much. More rows would change no plan, and each partition has as many as a table.
 */
export async function fillDatabase(databaseUrl: string): Promise<void> {
  await seed(databaseUrl, users);
  const sql = new SQL(databaseUrl, { max: 1 });
  await sql.unsafe(`
    insert into habit_completions
      select user_id, id, current_date - n, now() from habits, generate_series(0, 1) n on conflict do nothing;
    insert into habit_amounts select user_id, habit_id, local_date, 1, 1 from habit_completions;
    insert into reminders (user_id, todo_id, remind_at, status, created_at, updated_at)
      select user_id, id, now() + interval '1 year', 'scheduled', now(), now() from todos on conflict do nothing;
    insert into reminder_deliveries (user_id, id, todo_id, status, attempts, late, scheduled_at, next_attempt_at,
        created_at, finished_at)
      select user_id, gen_random_uuid(), id, 'sent', 1, false, at, at, at, at
      from todos, lateral (select now() - interval '1 day' * (id % 30)) t(at);
    update habits set remind_at = '07:00', rings_at = now() + interval '1 year';
    insert into reminder_deliveries (user_id, id, habit_id, status, attempts, late, scheduled_at, next_attempt_at,
        created_at, finished_at)
      select user_id, gen_random_uuid(), id, 'sent', 1, false, at, at, at, at
      from habits, lateral (select now() - interval '1 day' * (id % 30)) t(at);
    update users set digest = 'daily', digest_at = now() + interval '1 year';
    insert into reminder_deliveries (user_id, id, about, status, attempts, late, scheduled_at, next_attempt_at,
        created_at, finished_at)
      select user_id, gen_random_uuid(), 'digest', 'sent', 1, false, at, at, at, at
      from users, lateral (select now() - interval '1 day' * n as at from generate_series(1, 30) n) t;
    insert into token_rules (user_id, token_id, asks_deletions, changes_used, deletions_used, created_at, updated_at)
      select user_id, 'token ' || n, true, 0, 0, now(), now() from users, generate_series(1, 10) n;
    insert into approvals (user_id, id, token_id, state, request, before, after, rests_on, expires_at, created_at)
      select user_id, gen_random_uuid(), 'token 1', 'waiting', '', '', '', '', now() + interval '1 day', now() from habits;
    insert into webhooks (user_id, id, url, secret, events, is_active, created_at, updated_at)
      select user_id, gen_random_uuid(), 'https://example.org', '', '{todo.*}', n = 1 and user_id like '%7', now(), now()
      from users, generate_series(1, 3) n;
    insert into webhook_deliveries (user_id, id, webhook_id, subject, thing_id, status, attempts, next_attempt_at, created_at, finished_at)
      select user_id, gen_random_uuid(), id, 'todo', n, 'delivered', 1, now(), now(), now() from webhooks, generate_series(1, 20) n;
    insert into push_subscriptions (user_id, id, endpoint, p256dh, auth, browser, created_at)
      select user_id, gen_random_uuid(), 'https://push.example.org', '', '', '', now() from habits where id % 3 = 0;
    insert into deletions (user_id, changed_xid, kind, id, deleted_at)
      select user_id, changed_xid, 3, id + 100000000, now() - interval '1 day' * (id % 30) from todos;
    insert into identity.accounts (id, email, password_hash)
      select n::text, n || '@example.org', '' from generate_series(1, 20000) n;
    insert into deleted_users select 'deleted ' || n, now() - interval '1 day', now() from generate_series(1, 20000) n`);
  await multiplyPartitioned(sql, "inbox", "command_id", "created_at");
  await multiplyPartitioned(sql, "action_log", "request_id", "called_at");
  await sql.unsafe("vacuum analyze");
  await sql.close();
}

/** Copies one real row of a partitioned table to many users, in each of its partitions. */
async function multiplyPartitioned(sql: SQL, table: string, id: string, time: string): Promise<void> {
  await sql.unsafe(`
    insert into ${table}
    select (jsonb_populate_record(r.one, jsonb_build_object('user_id', u.user_id, '${id}', gen_random_uuid(),
      '${time}', p.upper - interval '1 second', 'keyed', p.kind = 'keyed'))).*
    from (select ${table} as one from ${table} limit 1) r, list_partitions('${table}') p, users u`);
}
