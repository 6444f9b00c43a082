import type { Pool } from "pg";

/** Removes expired rows, and apps that registered a day ago and have no grant. */
export async function prune(pool: Pool): Promise<void> {
  await pool.query(`delete from identity.artifacts where expires_at < now()`);
  await pool.query(
    `delete from identity.session_browsers b
     where not exists (select from identity.artifacts s where s.kind = 'Session' and s.uid = b.session_uid)`,
  );
  await pool.query(`delete from identity.email_confirmations where expires_at < now()`);
  await pool.query(`delete from identity.sign_ups where expires_at < now()`);
  await pool.query(`delete from identity.sign_in_links where expires_at < now()`);
  await pool.query(`delete from identity.password_resets where expires_at < now()`);
  await pool.query(`delete from identity.grants where expires_at < now()`);
  await pool.query(
    `delete from identity.clients c
     where created_at < now() - interval '1 day'
       and not exists (select from identity.grants g where g.client_id = c.id)`,
  );
}
