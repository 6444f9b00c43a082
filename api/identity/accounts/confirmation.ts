import { randomBytes } from "node:crypto";
import type { Pool } from "pg";
import { inJournal, type Journaled } from "../journal/record.ts";
import { type Account, lockAccount, withUniqueEmail } from "./accounts.ts";
import type { IdentityContext } from "./context.ts";
import { type Mail, mailOf } from "./mail.ts";

export const confirmPath = "/profile/email/confirm";

/** `waitSeconds` is set when no mail was sent: 0 means that the SMTP server did not accept it. */
type Mailed = Readonly<{ sent: boolean; waitSeconds: number }>;

/**
 * Mails a link that sets the account's address: it works once, within 24 hours, and for this account only. If the
 * address has another account, only the mail says so, because only its owner may learn that.
 */
export async function mailConfirmation(
  { sendMail, throttle, pool, config }: IdentityContext,
  { id, email }: Pick<Account, "id" | "email">,
): Promise<Mailed> {
  if (!sendMail) return { sent: false, waitSeconds: 0 };
  const waitSeconds = await throttle.mail({ id, email });
  if (waitSeconds > 0) return { sent: false, waitSeconds };
  const token = await createConfirmation(pool, id, email);
  const link = `${config.authUrl}${confirmPath}?token=${token}`;
  const mail = token === undefined ? takenMail(email, config.authUrl) : linkMail(email, link);
  return { sent: await sendMail(mail), waitSeconds: 0 };
}

/**
 * Replaces the account's earlier link, so that only the newest one works.
 * @returns undefined when the address has another account
 */
async function createConfirmation(pool: Pool, id: string, email: string): Promise<string | undefined> {
  const token = randomBytes(32).toString("base64url");
  const { rowCount } = await pool.query(
    `with older as (
       delete from identity.email_confirmations where account_id = $2
     )
     insert into identity.email_confirmations (token_hash, account_id, email, expires_at)
     select $1, $2, $3, now() + interval '24 hours'
     where not exists (select from identity.accounts where email = $3 and id <> $2)`,
    [hashToken(token), id, email],
  );
  return rowCount === 1 ? token : undefined;
}

/** Reads the address that the token would confirm for the account, and changes nothing. */
export async function addressOf(pool: Pool, id: string, token: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ email: string }>(
    `select email from identity.email_confirmations
     where token_hash = $1 and account_id = $2 and expires_at > now()`,
    [hashToken(token), id],
  );
  return rows[0]?.email;
}

/**
 * Uses the token up: its address becomes the account's and the one for reminders.
 * @returns false when the token is unknown, used, expired or another account's, or when the address now has an account
 */
export async function confirmEmail(journaled: Journaled, accountId: string, token: string): Promise<boolean> {
  const { rowCount } = await withUniqueEmail(
    inJournal(journaled, accountId, async (client, record) => {
      const before = await lockAccount(client, accountId);
      const confirmed = await client.query<{ email: string }>(
        `with used as (
         delete from identity.email_confirmations
         where token_hash = $1 and account_id = $2 and expires_at > now()
         returning email
       ), confirmed as (
         update identity.accounts a set email = used.email, email_verified_at = now()
         from used where a.id = $2
         returning a.id, a.email
       )
       insert into identity.outbox (user_id, name, input)
       select id, news.name, news.input from confirmed, lateral (values
         ('user.configure', jsonb_build_object('email', email)), ('user.end-sessions', '{}')) news(name, input)
       returning (select email from confirmed)`,
        [hashToken(token), accountId],
      );
      const [now] = confirmed.rows;
      if (now && now.email === before?.email) await record("address_confirmed", {});
      else if (now && before)
        await record("address_changed", {}, before.emailVerified ? { email: before.email } : {});
      return confirmed;
    }),
  );
  return rowCount !== 0;
}

/** Hashes a token for storage. A token is 256 random bits, so it needs no salt and no slow hash. */
export function hashToken(token: string): Buffer {
  return new Bun.CryptoHasher("sha256").update(token).digest();
}

function linkMail(to: string, link: string): Mail {
  return mailOf({
    to,
    subject: "Confirm your e-mail address for Kept",
    lines: [
      `Somebody, most likely you, gave ${to} as the e-mail address of an account of Kept.`,
      "To confirm that it is yours, open this page within 24 hours and press the button there:",
    ],
    link,
    end: "If it was not you, ignore this mail, and nothing happens.",
  });
}

/** The mail that tells the owner of an address that somebody wanted to use it for another account. */
export function takenMail(to: string, authUrl: string): Mail {
  return mailOf({
    to,
    subject: "You have an account of Kept already",
    lines: [
      `Somebody, most likely you, wanted to use ${to} for an account of Kept. It has one already.`,
      "You can sign in with it here:",
    ],
    link: `${authUrl}/sign-in`,
    end: "If it was not you, ignore this mail, and nothing happens.",
  });
}
