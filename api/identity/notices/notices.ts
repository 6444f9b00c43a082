import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { exclusively } from "../../../shared/db/exclusively.ts";
import { usualLocale } from "../../../shared/domain/day/say-date.ts";
import type { Details, Endable } from "../../../shared/domain/journal/events.ts";
import { type EventName, events, sayEvent, sayOrigin } from "../../../shared/domain/journal/events.ts";
import type { IdentityContext } from "../accounts/context.ts";
import { mailOf } from "../accounts/mail.ts";
import { zoneOf } from "../accounts/zones.ts";
import { asChore } from "../journal/origin.ts";
import { notMePath, tokenOfNotice } from "./links.ts";

/** A message to a person about an event of their account. */
export type Notice = Readonly<{
  id: string;
  accountId: string;
  kind: EventName;
  details: Details;
  /** The account's confirmed address at that time. */
  email: string | null;
  /** The id of the token, session or passkey that the link ends. */
  thing: string;
  /** Epoch milliseconds. */
  at: number;
}>;

export const noticeColumns = `id, account_id as "accountId", kind, details, email, thing,
  (extract(epoch from at) * 1000)::double precision as at`;

/** Notices that leave together; their mail has the same Message-ID when it is sent again. */
type Mailing = Notice & Readonly<{ mailing: string }>;

/** Sends waiting messages now, and leaves failures to the chore. */
export function tellPeople(identity: IdentityContext): void {
  const failed = (error: unknown) =>
    identity.log.warn({ reason: String(error) }, "messages about accounts wait");
  asChore(() => sendNotices(identity)).catch(failed);
}

/** Sends the messages that are due, one process at a time. */
export async function sendNotices(identity: IdentityContext): Promise<void> {
  const { pool } = identity;
  await exclusively(pool, { name: "kept.identity.notices", taken: "skip" }, async () => {
    const { rows } = await pool.query<{ id: string }>(
      `select account_id as id from identity.notices where sent_at is null and next_at <= now()
       group by account_id order by min(next_at) limit 20`,
    );
    for (const account of rows) await tellPerson(identity, account);
  });
}

/** Sends what waits for a person together. Those who get too many messages wait, and then get one about all. */
async function tellPerson(identity: IdentityContext, account: Readonly<{ id: string }>): Promise<void> {
  const { pool, throttle } = identity;
  const waitSeconds = await throttle.notice(account);
  if (waitSeconds > 0) return postpone(pool, account.id, waitSeconds);
  const { rows } = await pool.query<Mailing>(
    `update identity.notices set mailing = coalesce(mailing, $2), attempts = attempts + 1,
       next_at = now() + least(attempts + 1, 60) * interval '1 minute'
     where account_id = $1 and sent_at is null returning mailing, ${noticeColumns}`,
    [account.id, randomUUID()],
  );
  const mailings = Map.groupBy(
    rows.toSorted((one, other) => one.at - other.at),
    ({ mailing, email }) => `${mailing} ${email}`,
  );
  for (const notices of mailings.values()) await deliver(identity, notices);
}

async function postpone(pool: Pool, accountId: string, seconds: number): Promise<void> {
  await pool.query(
    `update identity.notices set next_at = now() + make_interval(secs => $2)
     where account_id = $1 and sent_at is null`,
    [accountId, seconds],
  );
}

/** A message as it is sent: what happened, and the link that ends it. */
type Told = Readonly<{ subject: string; lines: readonly string[]; link: string; end: string }>;

/**
 * Sends notices together by mail, or without a confirmed address by the channel of reminders. They are marked after
 * the mail server took the mail, so a crash in between repeats it under the same Message-ID.
 */
async function deliver(identity: IdentityContext, notices: readonly Mailing[]): Promise<void> {
  const { pool, sendMail, config, deliverNews } = identity;
  const [first] = notices;
  if (!first) return;
  const told = await messageAbout(identity, notices);
  const ids = notices.map(({ id }) => id);
  if (sendMail && first.email !== null) {
    const messageId = `<notice-${first.mailing}@${new URL(config.authUrl).hostname}>`;
    if (!(await sendMail({ ...mailOf({ ...told, to: first.email }), messageId }))) return;
    await pool.query("update identity.notices set sent_at = now() where id = any($1)", [ids]);
  } else {
    const said = { title: told.subject, notes: told.lines.join("\n"), url: told.link };
    await pool.query(handOver, [ids, first.accountId, JSON.stringify(said)]);
    await deliverNews();
  }
}

const handOver = `
  with handed as (
    update identity.notices set sent_at = now() where id = any($1) and sent_at is null returning id
  )
  insert into identity.outbox (user_id, name, input)
  select $2, 'journal.send', $3::jsonb where exists (select from handed)`;

async function messageAbout(identity: IdentityContext, notices: readonly Mailing[]): Promise<Told> {
  const parts = await Promise.all(notices.map((notice) => partAbout(identity, notice)));
  const journal = `${identity.config.baseUrl}/account/journal`;
  const [only] = parts;
  if (only && parts.length === 1)
    return { ...only, end: `If it was you, there is nothing to do. Your account journal: ${journal}` };
  return {
    subject: `${parts.length} changes of your account of Kept`,
    lines: parts.flatMap(({ lines, link }) => [...lines, link]),
    link: journal,
    end: "If all this was you, there is nothing to do. Your account journal has the rest.",
  };
}

async function partAbout({ pool, config, keys }: IdentityContext, notice: Mailing) {
  const { id, accountId, kind, details, at } = notice;
  const told = events[kind].told ?? { subject: "Your account of Kept was changed", ends: "password" };
  const zone = await zoneOf({ pool, config }, { id: accountId, timeZone: null });
  const when = new Date(at).toLocaleString(usualLocale, {
    dateStyle: "full",
    timeStyle: "short",
    timeZone: zone,
  });
  return {
    subject: told.subject,
    lines: [`${sayEvent(kind, details)} ${sayOrigin(details)} On ${when} (${zone}).`, advice[told.ends]],
    link: `${config.authUrl}${notMePath}?token=${tokenOfNotice(keys, id)}`,
  };
}

const advice: Readonly<Record<Endable, string>> = {
  token: "If it was not you, open this page and press the button, which ends it:",
  session: "If it was not you, open this page and press the button, which signs that browser out:",
  passkey: "If it was not you, open this page and press the button, which removes it:",
  password:
    "If it was not you, open this page and press the button. It signs out all browsers and mails you a link for a new password:",
};
