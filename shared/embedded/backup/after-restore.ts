import { SQL } from "bun";

/** PostgreSQL's log has at least this many bytes for each id given to a row. */
const leastBytesPerId = 64;

type Aftermath = Readonly<{
  password: string;
  /** The most bytes of log that were written after the restored moment. */
  lostBytes: number;
  /** The time until which reminders may have been sent that the restored database does not know. */
  sentUntil: string;
}>;

/**
 * Corrects the restored database: ids given out after the moment are skipped, because clients may have them, and
 * reminders that may have rung do not ring again.
 * @returns the number of reminders now marked as missed
 */
export async function makeUpFor(url: string, { password, lostBytes, sentUntil }: Aftermath): Promise<number> {
  const sql = new SQL(url, { max: 1 });
  try {
    await sql.unsafe(`alter role kept password '${password}'`);
    await sql`
      select setval(format('%I.%I', schemaname, sequencename)::regclass,
        coalesce(last_value, 1) + increment_by * ${Math.ceil(lostBytes / leastBytesPerId)})
      from pg_sequences where schemaname = 'public' and data_type = 'bigint'::regtype`;
    const [{ exists }] = await sql`select to_regclass('reminder_deliveries') is not null as exists`;
    return exists ? await markRung(sql, sentUntil) : 0;
  } finally {
    await sql.close();
  }
}

async function markRung(sql: SQL, until: string): Promise<number> {
  return sql.begin(async (transaction) => {
    await transaction`
      update reminder_deliveries d
      set status = case when d.todo_id is null and d.habit_id is null then 'cancelled' else 'missed' end,
        finished_at = now()
      where finished_at is null`;
    const missed = await transaction`
      update reminders set status = 'missed', updated_at = now()
      where status = 'scheduled' and (delivery_id is not null or remind_at <= ${until}::timestamptz)
      returning 1`;
    // A tick finds the next time of digests and habits that are postponed.
    await transaction`
      update users set digest_at = ${until}::timestamptz + interval '1 millisecond'
      where digest_at <= ${until}::timestamptz`;
    const postponed = await transaction`
      update habits set rings_at = ${until}::timestamptz + interval '1 millisecond', delivery_id = null
      where rings_at <= ${until}::timestamptz
      returning 1`;
    return missed.length + postponed.length;
  });
}
