import type { Pool } from "pg";
import type { IdentityContext } from "./context.ts";
import { endServiceSessions } from "./outbox.ts";

/** A session of the provider; times are epoch milliseconds. */
export type AccountSession = Readonly<{
  uid: string;
  userAgent: string;
  signedInAt: number;
  /** When it last let somebody in to the account pages or an app; the account pages ask every 12 hours. */
  usedAt: number;
}>;

/** How long a session lasts after its last use. */
export const sessionSeconds = 30 * 24 * 60 * 60;

const maxUserAgent = 400;

/** Notes in which browser a session was begun. */
export async function noteBrowser(
  pool: Pool,
  session: Readonly<{ uid: string; accountId: string; userAgent: string }>,
): Promise<void> {
  const { uid, accountId, userAgent } = session;
  await pool.query(
    `insert into identity.session_browsers (session_uid, account_id, user_agent) values ($1, $2, $3)
     on conflict (session_uid) do update set account_id = excluded.account_id, user_agent = excluded.user_agent`,
    [uid, accountId, userAgent.slice(0, maxUserAgent)],
  );
}

/** The account's sessions, the last used first. */
export async function listSessions(pool: Pool, accountId: string): Promise<AccountSession[]> {
  const { rows } = await pool.query<AccountSession>(
    `select s.uid, coalesce(b.user_agent, '') as "userAgent",
       (s.payload->>'loginTs')::double precision * 1000 as "signedInAt",
       (extract(epoch from s.expires_at) - $2)::double precision * 1000 as "usedAt"
     from identity.artifacts s left join identity.session_browsers b on b.session_uid = s.uid
     where s.account_id = $1 and s.kind = 'Session' and s.expires_at > now()
     order by s.expires_at desc limit 100`,
    [accountId, sessionSeconds],
  );
  return rows;
}

/** Which sessions of an account end: a single one, or all but one. */
type Ending = Readonly<{ only: string } | { allBut: string }>;

/**
 * Ends sessions in other browsers. All sessions of the account pages end with them, and those whose browser is still
 * signed in here come back by themselves; deleting the grant ends a sign-in there that is under way.
 */
export async function endAccountSessions(
  identity: Pick<IdentityContext, "pool" | "ownClient" | "deliverNews">,
  accountId: string,
  ending: Ending,
): Promise<void> {
  const { pool, ownClient } = identity;
  const isOnly = "only" in ending;
  const { rowCount } = await pool.query(
    `delete from identity.artifacts where account_id = $1 and kind = 'Session' and (uid = $2) = $3`,
    [accountId, isOnly ? ending.only : ending.allBut, isOnly],
  );
  if (rowCount === 0) return;
  await pool.query(`delete from identity.grants where account_id = $1 and client_id = $2`, [
    accountId,
    ownClient.id,
  ]);
  await endServiceSessions(identity, accountId);
}
