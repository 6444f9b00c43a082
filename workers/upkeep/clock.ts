import type { Pool } from "pg";
import type { Database } from "../../shared/db/orm.ts";

/** An hour of runs advances it by a day at most, and a pause between two runs by a minute. */
const advance = `
  with before as (select last_run_at > now() as was_set_back from upkeep_clock)
  update upkeep_clock set last_run_at = now(),
    reached = greatest(reached, least(now(),
      reached + 24 * least(greatest(now() - last_run_at, interval '0'), interval '1 minute')))
  returning least(reached - now(), interval '0')::text as behind, (select was_set_back from before)`;

type Advanced = Readonly<{
  /** The distance to PostgreSQL's clock, as an interval of zero or less. */
  behind: string;
  /** True if PostgreSQL's clock is behind the time of the last run. */
  was_set_back: boolean;
}>;

/**
 * Advances the clock that upkeep deletes by. PostgreSQL's clock may be wrong by days until somebody corrects it, and
 * deletions cannot be undone. After a jump, or a time out of service, this clock follows slowly.
 */
export async function advanceClock(pool: Pick<Pool, "query">): Promise<Advanced> {
  const { rows } = await pool.query<Advanced>(advance);
  return rows[0] ?? { behind: "0", was_set_back: false };
}

const scheduleMissed = `
  with undone as (
    delete from reminder_deliveries
    where created_at > now() and status = 'missed' and scheduled_at > now()
    returning user_id, todo_id, scheduled_at
  )
  update reminders r set status = 'scheduled', delivery_id = null, updated_at = now()
  from undone u
  where r.user_id = u.user_id and r.todo_id = u.todo_id and r.status = 'missed' and r.remind_at = u.scheduled_at`;

/** Before that, living processes renew the leases of deliveries that they are sending. */
const tryAgainSoon = `
  update reminder_deliveries set next_attempt_at = now() + interval '15 seconds'
  where finished_at is null and next_attempt_at > now() + interval '15 seconds'`;

/** Schedules reminders that a clock far ahead marked as missed, and retries those that it put off. */
export async function mendReminders({ pool }: Pick<Database, "pool">): Promise<void> {
  await pool.query(scheduleMissed);
  await pool.query(tryAgainSoon);
}
