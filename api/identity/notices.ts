import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { exclusively } from "../../shared/db/exclusively.ts";
import { usualLocale } from "../../shared/domain/day/say-date.ts";
import type { Details, Endable } from "../../shared/domain/journal/events.ts";
import { type EventName, events, sayEvent, sayOrigin } from "../../shared/domain/journal/events.ts";
import { type Account, findAccount, lockAccount, unlessTaken, zoneOf } from "./accounts/accounts.ts";
import type { IdentityContext } from "./accounts/context.ts";
import type { IdentityKeys } from "./accounts/keys.ts";
import { mailReset } from "./accounts/links.ts";
import { mailOf } from "./accounts/mail.ts";
import { endAccountSessions } from "./accounts/sessions.ts";
import { revokeConnection } from "./grants.ts";
import { asChore, inJournal } from "./journal.ts";
import { removePasskey } from "./passkeys.ts";

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

const noticeColumns = `id, account_id as "accountId", kind, details, email, thing,
  (extract(epoch from at) * 1000)::double precision as at`;

/** Notices that leave together; their mail has the same Message-ID when it is sent again. */
type Mailing = Notice & Readonly<{ mailing: string }>;

/** Sends waiting messages now, and leaves failures to the chore. */
export function tellPeople(identity: IdentityContext): void {
  asChore(() => sendNotices(identity)).catch((error) =>
    identity.log.warn({ reason: String(error) }, "messages about accounts wait"),
  );
}

export async function sendNotices(identity: IdentityContext): Promise<void> {
  const { pool } = identity;
  await exclusively(pool, { name: "kept.identity.notices", taken: "skip" }, async () => {
    const { rows } = await pool.query<{ id: string }>(
      `select account_id as id from identity.notices where sent_at is null and next_at <= now()
       group by account_id order by min(next_at) limit 20`,
    );
    for (const { id } of rows) await tellPerson(identity, id);
  });
}

/** Sends what waits for a person together. Those who get too many messages wait, and then get one about all. */
async function tellPerson(identity: IdentityContext, accountId: string): Promise<void> {
  const { pool, throttle } = identity;
  const waitSeconds = await throttle.notice(accountId);
  if (waitSeconds > 0) {
    await pool.query(postpone, [accountId, waitSeconds]);
    return;
  }
  const { rows } = await pool.query<Mailing>(
    `update identity.notices set mailing = coalesce(mailing, $2), attempts = attempts + 1,
       next_at = now() + least(attempts + 1, 60) * interval '1 minute'
     where account_id = $1 and sent_at is null returning mailing, ${noticeColumns}`,
    [accountId, randomUUID()],
  );
  const mailings = Map.groupBy(
    rows.toSorted((one, other) => one.at - other.at),
    ({ mailing, email }) => `${mailing} ${email}`,
  );
  for (const notices of mailings.values()) await deliver(identity, notices);
}

const postpone = `
  update identity.notices set next_at = now() + make_interval(secs => $2)
  where account_id = $1 and sent_at is null`;

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

/** Says what happened, with the link that ends it. */
async function messageAbout(identity: IdentityContext, notices: readonly Mailing[]) {
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

export const notMePath = "/not-me";

/** Days in which the link of a message works. */
export const noticeDays = 7;

type Keys = Pick<IdentityKeys, "forms">;

const bytesOfMac = 16;

const macOf = (key: string, id: Buffer): Buffer =>
  createHmac("sha256", `${key}.notice`).update(id).digest().subarray(0, bytesOfMac);

/** The token of a message is signed instead of stored, so a message that is sent again has the same. */
function tokenOfNotice({ forms: [key] }: Keys, id: string): string {
  const bytes = Buffer.from(id.replaceAll("-", ""), "hex");
  return Buffer.concat([bytes, macOf(key, bytes)]).toString("base64url");
}

/** @returns the id of the message; undefined when Kept did not sign the token */
function noticeIdIn({ forms }: Keys, token: string): string | undefined {
  if (!/^[\w-]{43}$/.test(token)) return undefined;
  const bytes = Buffer.from(token, "base64url");
  const [id, mac] = [bytes.subarray(0, -bytesOfMac), bytes.subarray(-bytesOfMac)];
  return forms.some((key) => timingSafeEqual(macOf(key, id), mac)) ? id.toString("hex") : undefined;
}

export async function findNotice(
  { pool, keys }: IdentityContext,
  token: string,
): Promise<Notice | undefined> {
  const id = noticeIdIn(keys, token);
  if (id === undefined) return undefined;
  const { rows } = await pool.query<Notice>(
    `select ${noticeColumns} from identity.notices
     where id = $1 and used_at is null and at > now() - interval '${noticeDays} days'`,
    [id],
  );
  return rows[0];
}

/** Ends what a message was about. The link is used up afterwards, so that a crash in between spoils none. */
export async function endByNotice(identity: IdentityContext, notice: Notice, ends: Endable): Promise<void> {
  await endings[ends](identity, notice);
  await identity.pool.query("update identity.notices set used_at = now() where id = $1", [notice.id]);
}

const endings: Readonly<Record<Endable, (identity: IdentityContext, notice: Notice) => Promise<void>>> = {
  token: (identity, { accountId, thing }) => revokeConnection(identity, accountId, thing),
  session: (identity, { accountId, thing }) => endAccountSessions(identity, accountId, { only: thing }),
  passkey: (identity, { accountId, thing }) => removePasskey(identity, accountId, thing),
  password: takeAccountBack,
};

/** Sets the address back to the one that the message went to, signs everybody out, and mails a link for a new password. */
async function takeAccountBack(identity: IdentityContext, { accountId, email }: Notice): Promise<void> {
  const account = await findAccount(identity.pool, accountId);
  if (!account) return;
  if (email !== null && email !== account.email) await restoreAddress(identity, account, email);
  await endAccountSessions(identity, accountId, { allBut: "" });
  const now = await findAccount(identity.pool, accountId);
  if (now) await mailReset(identity, now.email);
}

/** Messages to other addresses lose their links, because whoever changed the address may have got some. */
async function restoreAddress(identity: IdentityContext, { id }: Account, email: string): Promise<void> {
  await unlessTaken(
    inJournal(identity, id, async (client, record) => {
      await lockAccount(client, id);
      await client.query(
        `with others as (
           update identity.notices set used_at = now() where account_id = $1 and email is distinct from $2
         ), waiting as (
           delete from identity.email_confirmations where account_id = $1
         ), restored as (
           update identity.accounts set email = $2, email_verified_at = now() where id = $1 returning id, email
         )
         insert into identity.outbox (user_id, name, input)
         select id, 'user.configure', jsonb_build_object('email', email) from restored`,
        [id, email],
      );
      await record("address_restored", {});
      return true;
    }),
  );
}
