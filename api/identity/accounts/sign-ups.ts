import { randomBytes } from "node:crypto";
import type { Pool } from "pg";
import type { Journaled } from "../journal/record.ts";
import { type Account, createAccount, findAccountByEmail } from "./accounts.ts";
import { hashToken, takenMail } from "./confirmation.ts";
import type { IdentityContext } from "./context.ts";
import { type Mail, mailOf } from "./mail.ts";

export const finishPath = "/sign-up/finish";

/** A sign-up whose mailed link has not been used yet; until then there is no account. */
export type SignUp = Readonly<{ email: string; passwordHash: string; timeZone: string; next: string }>;

/**
 * Mails a link that finishes the sign-up, or a note that the address has an account. The form shows the same in both
 * cases, and nobody takes an address before proving that it is theirs.
 * @returns false when no mail was sent
 */
export async function mailSignUp(identity: IdentityContext, signUp: SignUp): Promise<boolean> {
  const { pool, sendMail, throttle, config } = identity;
  const { email } = signUp;
  if (!sendMail || (await throttle.mail({ id: hashToken(email).toString("base64url"), email })) > 0)
    return false;
  if (await findAccountByEmail(pool, email)) return sendMail(takenMail(email, config.authUrl));
  const token = await storeSignUp(pool, signUp);
  return sendMail(finishMail(email, `${config.authUrl}${finishPath}?token=${token}`));
}

async function storeSignUp(pool: Pool, { email, passwordHash, timeZone, next }: SignUp): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await pool.query(
    `insert into identity.sign_ups (token_hash, email, password_hash, time_zone, next, expires_at)
     values ($1, $2, $3, $4, $5, now() + interval '24 hours')`,
    [hashToken(token), email, passwordHash, timeZone, next],
  );
  return token;
}

export async function findSignUp(pool: Pool, token: string): Promise<SignUp | undefined> {
  const { rows } = await pool.query<SignUp>(
    `select email, password_hash as "passwordHash", time_zone as "timeZone", next
     from identity.sign_ups where token_hash = $1 and expires_at > now()`,
    [hashToken(token)],
  );
  return rows[0];
}

/**
 * Uses the sign-up's link.
 * @returns its account; undefined when the address got one meanwhile
 */
export async function finishSignUp(identity: Journaled, signUp: SignUp): Promise<Account | undefined> {
  await identity.pool.query(`delete from identity.sign_ups where email = $1`, [signUp.email]);
  return createAccount(identity, { ...signUp, isVerified: true });
}

function finishMail(to: string, link: string): Mail {
  return mailOf({
    to,
    subject: "Finish your sign-up for Kept",
    lines: [
      `Somebody, most likely you, wants to make an account of Kept with ${to}.`,
      "To go on, open this page within 24 hours and give the password that you chose:",
    ],
    link,
    end: "If it was not you, ignore this mail, and nothing happens.",
  });
}
