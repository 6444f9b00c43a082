import type { Pool } from "pg";
import type { Log } from "../../shared/log.ts";

const HOUR_MS = 60 * 60 * 1_000;

/** Removes what has expired and the apps that registered and were never allowed in. */
export async function prune(pool: Pool): Promise<void> {
  await pool.query(`delete from identity.artifacts where expires_at < now()`);
  await pool.query(`delete from identity.email_confirmations where expires_at < now()`);
  await pool.query(`delete from identity.grants where expires_at < now()`);
  await pool.query(
    `delete from identity.clients c
     where created_at < now() - interval '7 days'
       and not exists (select from identity.grants g where g.client_id = c.id)`,
  );
}

/** Prunes once an hour. Returns what stops it. */
export function schedulePruning(pool: Pool, log: Log): () => void {
  const timer = setInterval(() => {
    prune(pool).catch((error: unknown) => log.warn({ reason: String(error) }, "pruning failed"));
  }, HOUR_MS);
  timer.unref();
  return () => clearInterval(timer);
}
