import { randomBytes } from "node:crypto";
import type { Pool } from "pg";
import { inJournal, type Journaled } from "../../journal/record.ts";
import { type Account, accountColumns, findAccountByEmail } from "../accounts.ts";
import { hashToken } from "../confirmation.ts";
import type { IdentityContext } from "../context.ts";
import { type Mail, mailOf } from "../mail.ts";
import { resetMinutes } from "../throttle.ts";

export const resetPath = "/reset-password";

/**
 * Mails a link for a new password to an address that an account has confirmed, and nothing to any other. An earlier
 * link keeps working, so that a stranger who asks for another does not break it.
 */
export async function mailReset(
  { sendMail, config, ...journaled }: Journaled & Pick<IdentityContext, "sendMail" | "config">,
  email: string,
): Promise<void> {
  const account = await findAccountByEmail(journaled.pool, email);
  if (!account?.emailVerified) return;
  const token = randomBytes(32).toString("base64url");
  const isStored = await inJournal(journaled, account.id, async (client, record) => {
    const { rowCount } = await client.query(
      `insert into identity.password_resets (token_hash, account_id, email, expires_at)
       select $1, id, email, now() + interval '${resetMinutes} minutes'
       from identity.accounts where email = $2 and email_verified_at is not null`,
      [hashToken(token), email],
    );
    if (rowCount === 1) await record("reset_asked", {});
    return rowCount === 1;
  });
  if (isStored) await sendMail?.(resetMail(email, `${config.authUrl}${resetPath}?token=${token}`));
}

/** Finds the account whose password a link would change, and changes nothing. */
export async function findResetAccount(
  pool: Pick<Pool, "query">,
  token: string,
): Promise<Account | undefined> {
  const { rows } = await pool.query<Account>(
    `select ${accountColumns} from identity.accounts a where exists (
       select from identity.password_resets r
       where r.token_hash = $1 and r.account_id = a.id and r.email = a.email and r.expires_at > now()
     )`,
    [hashToken(token)],
  );
  return rows[0];
}

function resetMail(to: string, link: string): Mail {
  return mailOf({
    to,
    subject: "Choose a new password for Kept",
    lines: [
      `Somebody, most likely you, forgot the password of the account of Kept with the address ${to}.`,
      `To choose a new one, open this page within ${resetMinutes} minutes. It works once:`,
    ],
    link,
    end: "If it was not you, ignore this mail: your password stays as it is.",
  });
}
