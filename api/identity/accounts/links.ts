import type { Pool } from "pg";
import { hashedKey, hashToken } from "../../auth/token-format.ts";
import { newSecret } from "../../web/key-ring.ts";
import { inJournal, type Journaled } from "../journal.ts";
import {
  type Account,
  createAccount,
  findAccountByEmail,
  findAccountWhere,
  lockAccount,
  unlessTaken,
} from "./accounts.ts";
import type { IdentityContext } from "./context.ts";
import { type Mail, mailOf } from "./mail.ts";
import { resetMinutes } from "./throttle.ts";

export const confirmPath = "/profile/email/confirm";

/**
 * Mails a link that sets the account's address: it works once, within 24 hours, and for this account only. If the
 * address has another account, only the mail says so, because only its owner may learn that.
 * @returns `waitSeconds` if no mail was sent: 0 means that the SMTP server did not accept it
 */
export async function mailConfirmation(
  { sendMail, throttle, pool, config }: IdentityContext,
  { id, email }: Pick<Account, "id" | "email">,
): Promise<Readonly<{ sent: boolean; waitSeconds: number }>> {
  if (!sendMail) return { sent: false, waitSeconds: 0 };
  const waitSeconds = await throttle.mail({ id, email });
  if (waitSeconds > 0) return { sent: false, waitSeconds };
  const token = await createConfirmation(pool, id, email);
  const mail =
    token === undefined
      ? takenMail(email, config.authUrl)
      : mailOf({
          to: email,
          subject: "Confirm your e-mail address for Kept",
          lines: [
            `Somebody, most likely you, gave ${email} as the e-mail address of an account of Kept.`,
            "To confirm that it is yours, open this page within 24 hours and press the button there:",
          ],
          link: `${config.authUrl}${confirmPath}?token=${token}`,
          end: ifNotYou,
        });
  return { sent: await sendMail(mail), waitSeconds: 0 };
}

const ifNotYou = "If it was not you, ignore this mail, and nothing happens.";

/** The mail that tells the owner of an address that somebody wanted to use it for another account. */
const takenMail = (to: string, authUrl: string): Mail =>
  mailOf({
    to,
    subject: "You have an account of Kept already",
    lines: [
      `Somebody, most likely you, wanted to use ${to} for an account of Kept. It has one already.`,
      "You can sign in with it here:",
    ],
    link: `${authUrl}/sign-in`,
    end: ifNotYou,
  });

/**
 * Replaces the account's earlier link, so that only the newest one works.
 * @returns undefined when the address has another account
 */
async function createConfirmation(pool: Pool, id: string, email: string): Promise<string | undefined> {
  const token = newSecret();
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
export function confirmEmail(journaled: Journaled, accountId: string, token: string): Promise<boolean> {
  return unlessTaken(
    inJournal(journaled, accountId, async (client, record) => {
      const before = await lockAccount(client, accountId);
      const { rows } = await client.query<{ email: string }>(
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
      const [now] = rows;
      if (now && now.email === before?.email) await record("address_confirmed", {});
      else if (now && before)
        await record("address_changed", {}, before.emailVerified ? { email: before.email } : {});
      return now !== undefined;
    }),
  );
}

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
  const { email, passwordHash, timeZone, next } = signUp;
  if (!sendMail || (await throttle.mail({ id: hashedKey(email), email })) > 0) return false;
  if (await findAccountByEmail(pool, email)) return sendMail(takenMail(email, config.authUrl));
  const token = newSecret();
  await pool.query(
    `insert into identity.sign_ups (token_hash, email, password_hash, time_zone, next, expires_at)
     values ($1, $2, $3, $4, $5, now() + interval '24 hours')`,
    [hashToken(token), email, passwordHash, timeZone, next],
  );
  return sendMail(
    mailOf({
      to: email,
      subject: "Finish your sign-up for Kept",
      lines: [
        `Somebody, most likely you, wants to make an account of Kept with ${email}.`,
        "To go on, open this page within 24 hours and give the password that you chose:",
      ],
      link: `${config.authUrl}${finishPath}?token=${token}`,
      end: ifNotYou,
    }),
  );
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
  const token = newSecret();
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
  if (!isStored) return;
  await sendMail?.(
    mailOf({
      to: email,
      subject: "Choose a new password for Kept",
      lines: [
        `Somebody, most likely you, forgot the password of the account of Kept with the address ${email}.`,
        `To choose a new one, open this page within ${resetMinutes} minutes. It works once:`,
      ],
      link: `${config.authUrl}${resetPath}?token=${token}`,
      end: "If it was not you, ignore this mail: your password stays as it is.",
    }),
  );
}

export const findResetAccount = (pool: Pick<Pool, "query">, token: string): Promise<Account | undefined> =>
  findAccountWhere(
    pool,
    `exists (
       select from identity.password_resets r
       where r.token_hash = $1 and r.account_id = a.id and r.email = a.email and r.expires_at > now()
     )`,
    [hashToken(token)],
  );

export const signInLinkPath = "/sign-in/link";

/**
 * Makes a link that signs a person in: once, within ten minutes, and only at the provider's present address. An earlier
 * link of the same account stops working.
 * @param email of the account; by default the owner's
 * @returns undefined when there is no account with it, or the provider has never started
 */
export async function createSignInLink(pool: Pool, email?: string) {
  const token = newSecret();
  const { rows } = await pool.query<{ email: string; address: string }>(
    `with person as (
       select a.id, a.email, here.value #>> '{}' as address
       from identity.secrets o
         join identity.accounts a on case when $2::text is null then a.id = o.value #>> '{}' else a.email = $2 end,
         identity.secrets here
       where o.name = 'owner' and here.name = 'address'
     ), stored as (
       insert into identity.sign_in_links (account_id, token_hash, address, expires_at)
       select id, $1, address, now() + interval '10 minutes' from person
       on conflict (account_id) do update
         set token_hash = excluded.token_hash, address = excluded.address, expires_at = excluded.expires_at
     )
     select email, address from person`,
    [hashToken(token), email],
  );
  const [person] = rows;
  return person && { email: person.email, link: `${person.address}${signInLinkPath}?token=${token}` };
}

/** A link as it arrives: its token, and the address of the provider at which it was opened. */
type OpenedLink = Readonly<{ token: string; address: string }>;

export const findLinkAccount = (pool: Pool, { token, address }: OpenedLink): Promise<Account | undefined> =>
  findAccountWhere(
    pool,
    `id = (
       select account_id from identity.sign_in_links
       where token_hash = $1 and address = $2 and expires_at > now()
     )`,
    [hashToken(token), address],
  );

/** Uses the link up. @returns false when it is unknown, used, replaced, expired or was made for another address */
export async function useSignInLink(pool: Pool, { token, address }: OpenedLink): Promise<boolean> {
  const { rowCount } = await pool.query(
    `delete from identity.sign_in_links where token_hash = $1 and address = $2 and expires_at > now()`,
    [hashToken(token), address],
  );
  return rowCount === 1;
}
