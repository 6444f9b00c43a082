import type { AdapterPayload } from "oidc-provider";
import type { Pool } from "pg";
import type { DetailsOf } from "../../../shared/domain/journal/events.ts";
import { hashToken } from "../../auth/token-format.ts";
import type { FindOwnSession } from "../../doors/pages/session/context.ts";
import { browserName } from "../../http/request.ts";
import { follow, type Look } from "../../web/locale.ts";
import { inJournal, type Journaled } from "../journal.ts";
import type { IdentityContext } from "./context.ts";

/** A session of the provider; times are epoch milliseconds. */
export type AccountSession = Readonly<{
  uid: string;
  userAgent: string;
  signedInAt: number;
  /** The last use, to 12 hours. */
  usedAt: number;
}>;

/** Seconds that a session lasts after its last use. */
export const sessionSeconds = 30 * 24 * 60 * 60;

const maxUserAgent = 400;

/** The way of a sign-in, and whether the account was signed in in this browser before. */
export type Arrival = Readonly<{ way: DetailsOf<"signed_in">["way"]; isKnown: boolean }>;

/** The account; with `passwordHash`, refused if the password changed meanwhile. */
export type SignInProof = Readonly<{ accountId: string; passwordHash?: string | undefined }>;

/**
 * Stores the browser in which a session begins. The session counts while this row exists: oidc-provider stores sessions
 * again after each request, even those that ended during it.
 * @returns false when the account is gone or its password has changed
 */
export async function noteBrowser(
  journaled: Journaled,
  { accountId, passwordHash }: SignInProof,
  { uid, userAgent }: Pick<AccountSession, "uid" | "userAgent">,
  arrival: Arrival | undefined,
): Promise<boolean> {
  // The lock orders this after a new password that is being saved, or makes that password's end of sessions wait.
  return inJournal(journaled, accountId, async (client, record) => {
    const { rowCount } = await client.query(
      `insert into identity.session_browsers (session_uid, account_id, user_agent)
       select $1, id, $3 from identity.accounts
       where id = $2 and ($4::text is null or password_hash = $4) for share
       on conflict (session_uid) do update set account_id = excluded.account_id, user_agent = excluded.user_agent`,
      [uid, accountId, userAgent.slice(0, maxUserAgent), passwordHash],
    );
    if (rowCount === 1 && arrival)
      await record(arrival.isKnown ? "signed_in" : "signed_in_anew", { way: arrival.way }, { thing: uid });
    return rowCount === 1;
  });
}

/** Seconds after which the sign-in page renews a session in use, without asking its person. */
const renewedAfter = 12 * 60 * 60;

type FoundSession = Readonly<{
  payload: AdapterPayload;
  accountId: string;
  email: string;
  emailVerified: boolean;
  timeZone: string | null;
  generation: number;
  /** Epoch seconds. */
  renewedAt: number;
}> &
  Look;

/** @returns undefined when the session has ended or is due to be renewed */
export async function findSession(pool: Pool, id: string): ReturnType<FindOwnSession> {
  const { rows } = await pool.query<FoundSession>(
    `select s.payload, a.id as "accountId", a.email, a.email_verified_at is not null as "emailVerified",
       a.time_zone as "timeZone", coalesce(u.session_generation, 0) as generation,
       coalesce(u.theme, 'system') as theme, coalesce(u.week_start, 'language') as week_start,
       (extract(epoch from s.expires_at) - $2)::double precision as "renewedAt"
     from identity.artifacts s
       join identity.session_browsers b on b.session_uid = s.uid and b.account_id = s.account_id
       join identity.accounts a on a.id = s.account_id
       left join users u on u.user_id = a.id
     where s.kind = 'Session' and s.id_hash = $1 and s.expires_at > now()`,
    [hashToken(id), sessionSeconds],
  );
  const [found] = rows;
  if (!found || found.renewedAt + renewedAfter < Date.now() / 1_000) return undefined;
  const { accountId: sub, payload, email, emailVerified: email_verified, generation, timeZone } = found;
  follow(found);
  const { uid: sid = "", loginTs: proven_at = 0 } = payload;
  const exp = found.renewedAt + renewedAfter;
  return { session: { sub, sid, generation, email, email_verified, proven_at, exp }, timeZone };
}

/** More browsers than anybody signs in with; a session stays for 30 days. */
const mostSessions = 50;

export async function endOldestSessions(
  identity: Parameters<typeof endAccountSessions>[0],
  accountId: string,
): Promise<void> {
  const { rows } = await identity.pool.query<{ uid: string }>(
    `select uid from identity.artifacts where account_id = $1 and kind = 'Session'
     order by expires_at desc offset $2 limit 10`,
    [accountId, mostSessions],
  );
  for (const { uid } of rows) await endAccountSessions(identity, accountId, { only: uid });
}

type StoredSession = Readonly<{ uid: string; userAgent: string; payload: AdapterPayload; usedAt: number }>;

export async function listSessions(pool: Pool, accountId: string): Promise<AccountSession[]> {
  const { rows } = await pool.query<StoredSession>(
    `select s.uid, b.user_agent as "userAgent", s.payload,
       (extract(epoch from s.expires_at) - $2)::double precision * 1000 as "usedAt"
     from identity.artifacts s
       join identity.session_browsers b on b.session_uid = s.uid and b.account_id = s.account_id
     where s.account_id = $1 and s.kind = 'Session' and s.expires_at > now()
     order by s.expires_at desc limit 100`,
    [accountId, sessionSeconds],
  );
  // PostgreSQL cannot read a field of JSON in which an app's text has a NUL, so it is read here.
  return rows.map(({ payload, ...row }) => ({ ...row, signedInAt: (payload.loginTs ?? 0) * 1_000 }));
}

type Ending = Readonly<{ only: string } | { allBut: string }>;

/**
 * Ends sessions of an account. The news closes the streams of all its pages; those of other browsers open anew.
 */
export async function endAccountSessions(
  { deliverNews, ...journaled }: Journaled & Pick<IdentityContext, "deliverNews">,
  accountId: string,
  ending: Ending,
): Promise<void> {
  const isOnly = "only" in ending;
  await inJournal(journaled, accountId, async (client, record) => {
    const { rows } = await client.query<Pick<AccountSession, "userAgent">>(
      `with ended as (
       delete from identity.session_browsers where account_id = $1 and (session_uid = $2) = $3
       returning session_uid, user_agent
     ), stored as (
       delete from identity.artifacts s using ended where s.kind = 'Session' and s.uid = ended.session_uid
     ), told as (
       insert into identity.outbox (user_id, name, input)
       select $1, 'user.end-sessions', '{}' where exists (select from ended)
     )
     select user_agent as "userAgent" from ended`,
      [accountId, isOnly ? ending.only : ending.allBut, isOnly],
    );
    for (const { userAgent } of rows) await record("signed_out", { of: browserName(userAgent) });
  });
  await deliverNews();
}
