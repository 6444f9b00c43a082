import type { Pool } from "pg";
import { inJournal, type Journaled } from "../journal/record.ts";

/** A passkey of an account as its page lists it; times are epoch milliseconds. */
export type Passkey = Readonly<{ id: string; name: string; createdAt: number; lastUsedAt: number | null }>;

/** The facts that check a sign-in with a passkey. */
type StoredPasskey = Readonly<{
  id: string;
  accountId: string;
  publicKey: Uint8Array<ArrayBuffer>;
  counter: number;
  /** The account's hash, because a new password may end its passkeys while one is checked. */
  passwordHash: string;
}>;

type NewPasskey = Omit<StoredPasskey, "passwordHash"> &
  Readonly<{
    name: string;
    /** The session in which it is added. */
    sessionUid: string;
  }>;

/** The most passkeys of an account. */
export const maxPasskeys = 20;

/** The account's passkeys, newest first. */
export async function listPasskeys(pool: Pool, accountId: string): Promise<Passkey[]> {
  const { rows } = await pool.query<Passkey>(
    `select credential_id as id, name, extract(epoch from created_at)::double precision * 1000 as "createdAt",
       extract(epoch from last_used_at)::double precision * 1000 as "lastUsedAt"
     from identity.passkeys where account_id = $1 order by created_at desc, credential_id`,
    [accountId],
  );
  return rows;
}

/**
 * Stores a passkey. A lock on the account's row counts simultaneous ones one after the other and refuses a session that
 * a new password has just ended.
 * @returns false when it is registered already, the account has too many, or the session has ended
 */
export async function storePasskey(
  journaled: Journaled,
  { id, accountId, sessionUid, publicKey, counter, name }: NewPasskey,
): Promise<boolean> {
  return inJournal(journaled, accountId, async (client, record) => {
    await client.query(`select from identity.accounts where id = $1 for no key update`, [accountId]);
    const { rowCount } = await client.query(
      `insert into identity.passkeys (credential_id, account_id, public_key, counter, name)
       select $1, account_id, $4, $5, $6 from identity.session_browsers
       where session_uid = $3 and account_id = $2
         and (select count(*) from identity.passkeys where account_id = $2) < ${maxPasskeys}
       on conflict (credential_id) do nothing`,
      [id, accountId, sessionUid, Buffer.from(publicKey), counter, name],
    );
    if (rowCount === 1) await record("passkey_added", { name }, { thing: id });
    return rowCount === 1;
  });
}

export async function findPasskey(pool: Pool, id: string): Promise<StoredPasskey | undefined> {
  const { rows } = await pool.query<StoredPasskey>(
    `select p.credential_id as id, p.account_id as "accountId", p.public_key as "publicKey",
       p.counter::double precision as counter, a.password_hash as "passwordHash"
     from identity.passkeys p join identity.accounts a on a.id = p.account_id where p.credential_id = $1`,
    [id],
  );
  const [row] = rows;
  return row && { ...row, publicKey: new Uint8Array(row.publicKey) };
}

/**
 * Records a use. The counter of an authenticator must grow with each use; otherwise it was copied.
 * @returns false when a simultaneous use with this count came first, or the passkey is gone
 */
export async function notePasskeyUse(pool: Pool, id: string, counter: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update identity.passkeys set counter = $2, last_used_at = now()
     where credential_id = $1 and (counter < $2 or (counter = 0 and $2 = 0))`,
    [id, counter],
  );
  return rowCount === 1;
}

export async function removePasskey(journaled: Journaled, accountId: string, id: string): Promise<void> {
  await inJournal(journaled, accountId, async (client, record) => {
    const { rows } = await client.query<Pick<Passkey, "name">>(
      `delete from identity.passkeys where account_id = $1 and credential_id = $2 returning name`,
      [accountId, id],
    );
    if (rows[0]) await record("passkey_removed", rows[0]);
  });
}
