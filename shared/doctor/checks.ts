import { archive, backup, disk } from "./copies.ts";
import { broken, type Check, type Diagnosis, look, megabytes, ok } from "./diagnosis.ts";
import { countKeptBytes } from "./kept-bytes.ts";
import type { Patient } from "./patient.ts";
import { clocks, door, mail, postgres, redis, roles, schema, workers } from "./servers.ts";

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
