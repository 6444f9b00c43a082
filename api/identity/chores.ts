import type { Pool } from "pg";
import { scopesOfEvents } from "../../shared/contracts/webhook/contracts.ts";
import { exclusively } from "../../shared/db/exclusively.ts";
import { usualLocale } from "../../shared/domain/day/say-date.ts";
import { zoneOf } from "./accounts/accounts.ts";
import type { IdentityContext } from "./accounts/context.ts";
import { type Mail, mailOf } from "./accounts/mail.ts";
import { personalClientId } from "./grants.ts";
import { noticeDays, sendNotices } from "./notices.ts";

/** An app may come back to its registration so long after it was last connected, or after it registered. */
const appDays = 180;
/** The most apps without a connection; anybody may register one. */
const mostUnconnected = 50_000;

/** Removes expired rows, and apps without a connection: those of long ago, and the oldest of too many. */
export async function prune(pool: Pool): Promise<void> {
  await pool.query(
    `with expired as (
       delete from identity.artifacts where expires_at < now() returning kind, uid
     )
     delete from identity.session_browsers b using expired
     where expired.kind = 'Session' and b.session_uid = expired.uid and not exists (
       select from identity.artifacts s where s.uid = b.session_uid and s.kind = 'Session' and s.expires_at >= now())`,
  );
  for (const table of ["email_confirmations", "sign_ups", "sign_in_links", "password_resets"])
    await pool.query(`delete from identity.${table} where expires_at < now()`);
  await pool.query(`delete from identity.notices where at < now() - interval '${noticeDays} days'`);
  await pool.query(`delete from identity.grants where expires_at < now()`);
  const isConnected = "exists (select from identity.grants g where g.client_id = c.id)";
  await pool.query(
    `update identity.clients c set used_at = now() where used_at < now() - interval '1 day' and ${isConnected}`,
  );
  await pool.query(
    `delete from identity.clients where id in (
       select id from identity.clients c where not ${isConnected} order by used_at desc offset $1)
     or used_at < now() - interval '${appDays} days'`,
    [mostUnconnected],
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
    every(newsEveryMs, () => limitWebhooks(pool).then(deliverNews)),
    every(newsEveryMs, () => sendNotices(identity)),
  ];
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}

/**
 * Takes from webhooks what the token that chose their address may not read any more: a webhook of a token that has ended
 * is switched off. The service hears of it as of other news.
 */
async function limitWebhooks(pool: Pool): Promise<void> {
  await pool.query(
    `insert into identity.outbox (user_id, name, input)
     select w.user_id, 'webhook.update', jsonb_build_object('webhook_id', w.id) || case when left_over.events = '{}'
       then '{"is_active": false}' else jsonb_build_object('events', left_over.events) end
     from webhooks w
     left join lateral (
       select string_to_array(string_agg(allowed.value, ' '), ' ') as scopes
       from identity.grants g, jsonb_each_text(g.payload->'resources') allowed
       where g.id = w.made_by and g.account_id = w.user_id and g.expires_at > now()
     ) token on true
     cross join lateral (
       select coalesce(array_agg(event), '{}') as events from unnest(w.events) event
       where array(select jsonb_array_elements_text($1::jsonb->event)) <@ coalesce(token.scopes, '{}')
     ) left_over
     where w.is_active and w.made_by is not null and cardinality(left_over.events) < cardinality(w.events)
       and not exists (select from identity.outbox o where o.user_id = w.user_id and o.input->>'webhook_id' = w.id::text)`,
    [JSON.stringify(scopesOfEvents)],
  );
}

/** A token that is about to end, and its owner. */
type EndingToken = Readonly<{
  id: string;
  accountId: string;
  email: string;
  timeZone: string | null;
  /** The person's way to write dates; null for the usual one. */
  locale: string | null;
  name: string;
  lastFour: string | null;
  /** Epoch milliseconds. */
  expiresAt: number;
}>;

const mailsAtOnce = 20;

/**
 * Mails the owners of personal tokens that end within a week, once for each end. One process at a time does it. A token
 * is marked after the mail server took the mail, so a crash in between repeats the mail under the same Message-ID.
 * Tokens made for a week or less and unconfirmed addresses get no mail.
 */
export async function mailTokenEndings({
  pool,
  config,
  sendMail,
}: Pick<IdentityContext, "pool" | "config" | "sendMail">): Promise<void> {
  if (!sendMail) return;
  const work = { name: "kept.identity.token-endings", taken: "skip" } as const;
  await exclusively(pool, work, async () => {
    for (const token of await findEnding(pool)) {
      const { accountId, timeZone } = token;
      const zone = await zoneOf({ pool, config }, { id: accountId, timeZone });
      if (await sendMail(endingMail(token, config.authUrl, zone))) await noteTold(pool, token);
    }
  });
}

/** One token of each account, in random order: neither an account with many tokens nor refused mails delay others. */
async function findEnding(pool: Pool): Promise<EndingToken[]> {
  const { rows } = await pool.query<EndingToken>(
    `select * from (
       select distinct on (a.id) g.id, a.id as "accountId", a.email, a.time_zone as "timeZone", g.name, g.last_four as "lastFour",
         (select u.locale from users u where u.user_id = a.id) as locale,
         (extract(epoch from g.expires_at) * 1000)::double precision as "expiresAt"
       from identity.grants g join identity.accounts a on a.id = g.account_id
       where g.client_id = '${personalClientId}' and g.end_told_at is null
         and g.expires_at between now() and now() + interval '7 days'
         and g.expires_at > g.created_at + interval '7 days' and a.email_verified_at is not null
       order by a.id, g.expires_at
     ) ending
     order by random() limit $1`,
    [mailsAtOnce],
  );
  return rows;
}

/** Marks this end only: if the token gets another end meanwhile, its owner is told of that too. */
async function noteTold(pool: Pool, { id, expiresAt }: EndingToken): Promise<void> {
  await pool.query(
    `update identity.grants set end_told_at = now()
     where id = $1 and (extract(epoch from expires_at) * 1000)::double precision = $2`,
    [id, expiresAt],
  );
}

function endingMail(
  { id, email, name, lastFour, expiresAt, locale }: EndingToken,
  authUrl: string,
  zone: string,
): Mail {
  const format = { dateStyle: "full", timeStyle: "short", timeZone: zone } as const;
  const at = new Date(expiresAt).toLocaleString(locale ?? usualLocale, format);
  const token = `“${name}”${lastFour ? ` (kept_…${lastFour})` : ""}`;
  const letter = mailOf({
    to: email,
    subject: "A token of yours for Kept ends soon",
    lines: [
      `Your token ${token} ends on ${at} (${zone}). Programs that use it stop working then.`,
      "If it is still needed, give it a new secret and another end here:",
    ],
    link: `${authUrl}/profile/api-tokens/change?id=${id}`,
  });
  return { ...letter, messageId: `<token-${id}-${expiresAt}@${new URL(authUrl).hostname}>` };
}
