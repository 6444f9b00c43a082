import { randomBytes } from "node:crypto";
import type { Pool } from "pg";
import { type Account, accountColumns } from "./accounts.ts";
import { hashToken } from "./confirmation.ts";

export const signInLinkPath = "/sign-in/link";

type SignInLink = Readonly<{ email: string; link: string }>;

/** Stores the provider's public address, because commands that run beside it may have other settings. */
export async function noteAddress(pool: Pool, address: string): Promise<void> {
  await pool.query(
    `insert into identity.secrets (name, value) values ('address', to_jsonb($1::text))
     on conflict (name) do update set value = excluded.value`,
    [address],
  );
}

/**
 * Makes a link that signs a person in: once, within ten minutes, and only at the provider's present address. An earlier
 * link of the same account stops working.
 * @param email of the account; by default the owner's
 * @returns undefined when there is no account with it, or the provider has never started
 */
export async function createSignInLink(pool: Pool, email?: string): Promise<SignInLink | undefined> {
  const token = randomBytes(32).toString("base64url");
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

/** Finds the account that a link would sign in, and changes nothing. */
export async function findLinkAccount(
  pool: Pool,
  { token, address }: OpenedLink,
): Promise<Account | undefined> {
  const { rows } = await pool.query<Account>(
    `select ${accountColumns} from identity.accounts where id = (
       select account_id from identity.sign_in_links
       where token_hash = $1 and address = $2 and expires_at > now()
     )`,
    [hashToken(token), address],
  );
  return rows[0];
}

/** Uses the link up. @returns false when it is unknown, used, replaced, expired or was made for another address */
export async function useSignInLink(pool: Pool, { token, address }: OpenedLink): Promise<boolean> {
  const { rowCount } = await pool.query(
    `delete from identity.sign_in_links where token_hash = $1 and address = $2 and expires_at > now()`,
    [hashToken(token), address],
  );
  return rowCount === 1;
}
