import { migrations } from "../db/migrations/index.ts";
import { demandWrites, problemOf, readSchema } from "../db/schema-guard.ts";
import { createSmtpTransport } from "../process/smtp.ts";
import { problemOfRedis } from "../queue/redis-check.ts";
import { hasSign } from "../queue/signs-of-life.ts";
import { archive, backup, disk } from "./copies.ts";
import {
  broken,
  type Check,
  type Diagnosis,
  look,
  megabytes,
  ok,
  type Patient,
  reasonOf,
} from "./diagnosis.ts";
import { countKeptBytes } from "./kept-bytes.ts";

const failing = `
  select channel, count(*) filter (where status = 'failed')::int as failed, count(*)::int as ended
  from reminder_deliveries
  where finished_at > now() - interval '1 day' and status in ('sent', 'failed') and channel is not null
  group by channel
  having count(*) filter (where status = 'failed') * 2 > count(*)
  order by channel`;

async function failingChannels({ pool }: Patient): Promise<Diagnosis> {
  const { rows } = await pool.query<{ channel: string; failed: number; ended: number }>(failing);
  if (rows.length === 0) return ok("most deliveries of the last day were taken");
  const says = rows.map(({ channel, failed, ended }) => `${channel} failed ${failed} of ${ended}`).join(", ");
  return look(says, "Look at the errors in the workers' logs: the receivers refuse, or cannot be reached.");
}

/** Reminders that no worker has taken up, and deliveries whose next attempt is overdue. */
const waiting = `
  select count(*)::int as count, coalesce(extract(epoch from now() - min(due)), 0)::float8 as seconds from (
    select remind_at as due from reminders where status = 'scheduled' and delivery_id is null
    union all select rings_at from habits where rings_at is not null
    union all select next_attempt_at from reminder_deliveries where finished_at is null
  ) times where due < now() - interval '1 minute'`;

const brokenAfterSeconds = 300;

async function lateReminders({ pool }: Patient): Promise<Diagnosis> {
  const { rows } = await pool.query<{ count: number; seconds: number }>(waiting);
  const { count, seconds } = rows[0] ?? { count: 0, seconds: 0 };
  if (count === 0) return ok("none is late");
  const says = `${count} are late, the first by ${Math.round(seconds / 60)} min`;
  return (seconds < brokenAfterSeconds ? look : broken)(says, "Look whether workers run, and at their logs.");
}

async function fullAccounts({ pool, config: { accountMegabytes } }: Patient): Promise<Diagnosis> {
  const { bytes, near } = await countKeptBytes(pool, accountMegabytes);
  const says = `${megabytes(bytes)} in all, ${near} near ACCOUNT_MEGABYTES`;
  return near === 0 ? ok(says) : look(says, "Raise ACCOUNT_MEGABYTES, or tell their people to make room.");
}

/** All checks, for `npm run admin -- doctor` and for the metric `kept_check_state`. */
export const checksOf = (patient: Patient): readonly Check[] => [
  { name: "PostgreSQL", look: () => postgres(patient) },
  { name: "schema", needs: "PostgreSQL", look: () => schema(patient) },
  { name: "roles", needs: "PostgreSQL", look: () => roles(patient) },
  { name: "Redis", look: () => redis(patient) },
  { name: "workers", needs: "Redis", look: () => workers(patient) },
  { name: "door", isCostly: true, look: () => door(patient) },
  { name: "clocks", needs: "PostgreSQL", look: () => clocks(patient) },
  { name: "disk", look: () => disk(patient) },
  { name: "backup", look: () => backup(patient) },
  { name: "archive", needs: "PostgreSQL", look: () => archive(patient) },
  { name: "mail", look: () => mail(patient) },
  { name: "channels", needs: "PostgreSQL", look: () => failingChannels(patient) },
  { name: "reminders", needs: "PostgreSQL", look: () => lateReminders(patient) },
  { name: "accounts", needs: "PostgreSQL", isCostly: true, look: () => fullAccounts(patient) },
];

/** Above this share of what a server may use, little is left for a busy hour. */
const fullShare = 0.8;

async function postgres({ pool }: Patient): Promise<Diagnosis> {
  const { rows } = await pool.query<{ version: string; used: number; most: number }>(
    `select current_setting('server_version') as version, count(*)::int as used,
      current_setting('max_connections')::int as most
    from pg_stat_activity where backend_type = 'client backend'`,
  );
  const { version, used, most } = rows[0] ?? { version: "?", used: 0, most: 1 };
  const says = `${version}, ${used} of ${most} connections`;
  const refusal = await demandWrites(pool).catch(reasonOf);
  if (refusal) return broken(`${version} takes no changes: ${refusal}`, "Make room on its disk.");
  if (used < fullShare * most) return ok(says);
  return look(says, "Raise max_connections, or lower DATABASE_CONNECTIONS of the processes.");
}

/** Counts the connections of processes that may do whatever the owner of the tables may. */
const asOwner = `
  select count(*)::int as count from pg_stat_activity
  where datname = current_database() and application_name in ('kept-reads', 'kept-writes')
    and has_table_privilege(usesysid, 'users', 'truncate')`;

async function roles({ pool }: Patient): Promise<Diagnosis> {
  const { rows } = await pool.query<{ count: number }>(asOwner);
  if (!rows[0]?.count) return ok("every process has the rights that it needs");
  return look(
    `${rows[0].count} connections of processes have all rights of the owner`,
    "Give each process a role of its own: see docs/postgres.md.",
  );
}

async function schema({ pool }: Patient): Promise<Diagnosis> {
  const stored = await readSchema(pool);
  const problem = problemOf(stored);
  if (problem) return broken(problem, "No process of this release serves it until then.");
  const newer = stored.applied.filter((applied) => migrations.every(({ name }) => name !== applied));
  if (newer.length === 0) return ok(`at ${migrations.at(-1)?.name}`);
  return look(`beyond this release, at ${newer.at(-1)}`, "Replace this release by that one.");
}

async function redis({ redis, config }: Patient): Promise<Diagnosis> {
  const problem = await problemOfRedis(redis, config.queuePrefix);
  if (problem) return broken(problem.reason, problem.advice);
  const facts = await redis.info("memory");
  const fact = (name: string) => new RegExp(`^${name}:(.*)$`, "m").exec(facts)?.[1];
  const [used, most] = [Number(fact("used_memory")), Number(fact("maxmemory"))];
  const policy = fact("maxmemory_policy");
  const says = `${megabytes(used)}${most > 0 ? ` of ${megabytes(most)}` : ""}, ${policy}`;
  if (most > 0 && policy !== "noeviction")
    return look(says, "Set maxmemory-policy noeviction, or a full Redis forgets jobs.");
  if (most > 0 && used > fullShare * most) return look(says, "Raise maxmemory.");
  return ok(says);
}

async function workers({ config, redis }: Patient): Promise<Diagnosis> {
  if (await hasSign(redis, config.queuePrefix)) return ok("alive");
  return broken("no worker gives a sign of life", "Start workers with this QUEUE_PREFIX.");
}

/** A door knows by itself whether commands come back and people can sign in. */
async function door({ config: { baseUrl } }: Patient): Promise<Diagnosis> {
  const answer = await fetch(`${baseUrl}/health/ready`).catch(() => undefined);
  if (!answer) return look(`no answer at ${baseUrl} from here`, "Look whether a front door runs there.");
  if (answer.ok) return ok("changes come back, and people can sign in");
  return broken(`not ready: ${await answer.text()}`, "Mend what is missing; the door's log has the reasons.");
}

/** Milliseconds by which clocks may differ: more shows in late reminders, or in tokens that are not valid yet. */
const skew = { look: 2_000, broken: 60_000 };

async function clocks({ pool, redis }: Patient): Promise<Diagnosis> {
  const differences = await Promise.all([
    ahead(async () => {
      const now = "select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms";
      return (await pool.query<{ ms: number }>(now)).rows[0]?.ms ?? 0;
    }),
    ahead(async () => {
      const [seconds, microseconds] = await redis.time();
      return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
    }).catch(() => 0),
  ]);
  const most = Math.max(0, ...differences) - Math.min(0, ...differences);
  const says = `PostgreSQL, Redis and this machine differ by ${(most / 1_000).toFixed(1)} s`;
  if (most < skew.look) return ok(says);
  return (most < skew.broken ? look : broken)(says, "Let all machines take the time by NTP.");
}

/** @returns the milliseconds by which another clock is ahead of this machine's */
async function ahead(readMs: () => Promise<number>): Promise<number> {
  const asked = Date.now();
  const read = await readMs();
  return read - (asked + Date.now()) / 2;
}

async function mail({ config: { smtpUrl, mailFrom } }: Patient): Promise<Diagnosis> {
  if (smtpUrl === undefined) return ok("SMTP_URL is not set, so no mail is sent");
  const transport = await createSmtpTransport({ smtpUrl, mailFrom });
  try {
    await transport.verify();
    return ok("the server of SMTP_URL takes mail");
  } catch (error) {
    return broken(
      reasonOf(error),
      "Look at SMTP_URL and its server: reminders and confirmations by mail wait.",
    );
  } finally {
    transport.close();
  }
}
