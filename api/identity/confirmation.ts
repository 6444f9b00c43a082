import { randomBytes } from "node:crypto";
import type { Pool } from "pg";
import { html, markup } from "../html.ts";
import type { Account } from "./accounts.ts";
import type { Identity } from "./identity.ts";
import type { Mail } from "./mail.ts";

export const confirmPath = "/profile/email/confirm";

/** Whether a mail left. If not: the seconds to wait, or 0 when the SMTP server did not take it. */
export type Mailed = Readonly<{ sent: boolean; waitSeconds: number }>;

/** Mails the account's address a link that works once, for 24 hours and for this account only. */
export async function mailConfirmation(
  { sendMail, throttle, pool, config }: Identity,
  account: Account,
): Promise<Mailed> {
  if (!sendMail) return { sent: false, waitSeconds: 0 };
  const waitSeconds = await throttle.mail(account);
  if (waitSeconds > 0) return { sent: false, waitSeconds };
  const token = await createConfirmation(pool, account);
  const link = `${config.authUrl}${confirmPath}?token=${token}`;
  return { sent: await sendMail(confirmationMail(account.email, link)), waitSeconds: 0 };
}

async function createConfirmation(pool: Pool, { id, email }: Account): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await pool.query(
    `insert into identity.email_confirmations (token_hash, account_id, email, expires_at)
     values ($1, $2, $3, now() + interval '24 hours')`,
    [hash(token), id, email],
  );
  return token;
}

/** Whether the token would confirm the address that the account has now. Changes nothing. */
export async function canConfirm(pool: Pool, { id, email }: Account, token: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from identity.email_confirmations
     where token_hash = $1 and account_id = $2 and email = $3 and expires_at > now()`,
    [hash(token), id, email],
  );
  return rowCount === 1;
}

/** Uses the token up. False: it is unknown, used, too old, another account's or for an address given up since. */
export async function confirmEmail(pool: Pool, accountId: string, token: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `with used as (
       delete from identity.email_confirmations
       where token_hash = $1 and account_id = $2 and expires_at > now()
       returning email
     )
     update identity.accounts a set email_verified_at = now()
     from used where a.id = $2 and a.email = used.email`,
    [hash(token), accountId],
  );
  return rowCount === 1;
}

/** For look-ups only: a token is 256 random bits, so no salt and no slow hash are needed. */
function hash(token: string): Buffer {
  return new Bun.CryptoHasher("sha256").update(token).digest();
}

function confirmationMail(to: string, link: string): Mail {
  const why = `Somebody, most likely you, gave ${to} as the e-mail address of an account of Kept.`;
  const what = "To confirm that it is yours, open this page within 24 hours and press the button there:";
  const otherwise = "If it was not you, ignore this mail, and nothing happens.";
  return {
    to,
    subject: "Confirm your e-mail address for Kept",
    text: [why, what, link, otherwise].join("\n\n"),
    html: markup(html`<!doctype html>
<html lang="en">
<body>
<p>${why}</p>
<p>${what}</p>
<p><a href="${link}">${link}</a></p>
<p>${otherwise}</p>
</body>
</html>
`),
  };
}
