import type { Pool } from "pg";
import type { IdentityContext } from "./accounts/context.ts";
import { mailTokenEndings } from "./accounts/tokens/endings.ts";
import { noticeDays } from "./notices/links.ts";
import { sendNotices } from "./notices/notices.ts";

/** Removes expired rows, and apps that registered a day ago and have no grant. */
export async function prune(pool: Pool): Promise<void> {
  await pool.query(
    `with expired as (
       delete from identity.artifacts where expires_at < now() returning kind, uid
     )
     delete from identity.session_browsers b using expired
     where expired.kind = 'Session' and b.session_uid = expired.uid and not exists (
       select from identity.artifacts s where s.uid = b.session_uid and s.kind = 'Session' and s.expires_at >= now())`,
  );
  await pool.query(`delete from identity.email_confirmations where expires_at < now()`);
  await pool.query(`delete from identity.sign_ups where expires_at < now()`);
  await pool.query(`delete from identity.sign_in_links where expires_at < now()`);
  await pool.query(`delete from identity.password_resets where expires_at < now()`);
  await pool.query(`delete from identity.notices where at < now() - interval '${noticeDays} days'`);
  await pool.query(`delete from identity.grants where expires_at < now()`);
  await pool.query(
    `delete from identity.clients c
     where created_at < now() - interval '1 day'
       and not exists (select from identity.grants g where g.client_id = c.id)`,
  );
}

const pruneEveryMs = 60_000;
const endingsEveryMs = 10 * 60_000;
const newsEveryMs = 5_000;

/**
 * Removes expired rows once a minute, mails people about tokens that end soon, and delivers waiting news.
 * @returns a function that stops all of it
 */
export function scheduleChores(identity: IdentityContext): () => void {
  const { pool, log, deliverNews } = identity;
  const every = (ms: number, chore: () => Promise<unknown>) => {
    const run = () => chore().catch((error) => log.warn({ reason: String(error) }, "a chore failed"));
    return setInterval(run, ms).unref();
  };
  const timers = [
    every(pruneEveryMs, () => prune(pool)),
    every(endingsEveryMs, () => mailTokenEndings(identity)),
    every(newsEveryMs, deliverNews),
    every(newsEveryMs, () => sendNotices(identity)),
  ];
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}
