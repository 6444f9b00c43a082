import { SQL } from "bun";

/** Of each number that was given to a row, PostgreSQL's log has more than this. */
const leastBytesPerId = 64;

type Aftermath = Readonly<{
  /** The password that the data folder has for the database. */
  password: string;
  /** How much of the log, at most, was written after the restored moment. */
  lostBytes: number;
  /** Until when the service may have sent reminders that the restored database does not know of. */
  sentUntil: string;
}>;

/**
 * Makes up for what the restored database does not know. Numbers that were given out after the moment are not given out
 * again, as clients may still have them. Reminders that may have rung do not ring again.
 * @returns how many reminders are missed now
 */
export async function makeUpFor(url: string, { password, lostBytes, sentUntil }: Aftermath): Promise<number> {
  const sql = new SQL(url, { max: 1 });
  try {
    await sql.unsafe(`alter role kept password '${password}'`);
    await sql`
      select setval(format('%I.%I', schemaname, sequencename)::regclass,
        coalesce(last_value, 1) + ${Math.ceil(lostBytes / leastBytesPerId)})
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
      update reminder_deliveries
      set status = case when todo_id is null then 'cancelled' else 'missed' end, finished_at = now()
      where finished_at is null`;
    const missed = await transaction`
      update reminders set status = 'missed', updated_at = now()
      where status = 'scheduled' and (delivery_id is not null or remind_at <= ${until}::timestamptz)
      returning 1`;
    return missed.length;
  });
}
