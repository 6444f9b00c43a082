import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import type { DetailsOf } from "../../../../shared/domain/journal/events.ts";
import { inJournal, type Journaled } from "../../journal/record.ts";
import { type Account, accountColumns } from "../accounts.ts";
import { checkInTurn } from "./hashing-turns.ts";
import { findResetAccount } from "./resets.ts";

/** Argon2id with the parameters of OWASP's password storage cheat sheet. */
const hashing = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

export const passwordLength = { min: 10, max: 200 };

/** Hashes a password for storage. */
export const hashPassword = (password: string): Promise<string> => Bun.password.hash(password, hashing);

/** An account with its password hash at the time of a check, so that a change in between is noticed. */
export type CheckedAccount = Account & Readonly<{ passwordHash: string }>;

/** Finds the account by e-mail address and password. An unknown address takes as long as a wrong password. */
export async function checkPassword(
  pool: Pool,
  email: string,
  password: string,
): Promise<CheckedAccount | undefined> {
  const { rows } = await pool.query<CheckedAccount>(
    `select ${accountColumns}, password_hash as "passwordHash" from identity.accounts where email = $1`,
    [email],
  );
  const [row] = rows;
  const hash = row?.passwordHash ?? (await nobodysHash());
  const right = await checkInTurn(email, () => Bun.password.verify(password, hash));
  return right && row ? row : undefined;
}

let nobody: Promise<string> | undefined;

function nobodysHash(): Promise<string> {
  nobody ??= hashPassword(randomUUID());
  return nobody;
}

type NewPassword = Readonly<{
  accountId: string;
  password: string;
  /** The change is refused unless this hash or this mailed link is still valid. */
  passwordHash?: string;
  resetToken?: string;
  way: DetailsOf<"password_changed">["way"];
  /** Also ends all tokens, connected apps and passkeys. */
  endsAll?: boolean;
}>;

/**
 * Sets a new password and ends all sessions of the account, this browser's included.
 * @returns the hash of the new password; undefined when the given hash or link is no longer valid
 */
export async function changePassword(
  journaled: Journaled,
  { accountId, password, passwordHash, resetToken, way, endsAll = false }: NewPassword,
): Promise<string | undefined> {
  const newHash = await hashPassword(password);
  return inJournal(journaled, accountId, async (client, record) => {
    // Sessions begin under a lock of this row, so the next statement sees each one that began with the old password.
    const { rowCount } = await client.query(
      `select from identity.accounts where id = $1 and ($2::text is null or password_hash = $2) for no key update`,
      [accountId, passwordHash],
    );
    if (rowCount === 0) return undefined;
    if (resetToken !== undefined && !(await findResetAccount(client, resetToken))) return undefined;
    await client.query(saveAndEnd, [accountId, newHash, endsAll]);
    await record("password_changed", { way, endsAll });
    return newHash;
  });
}

const saveAndEnd = `
  with ended as (
    delete from identity.session_browsers where account_id = $1
  ), stored as (
    delete from identity.artifacts where account_id = $1 and kind = 'Session'
  ), resets as (
    delete from identity.password_resets where account_id = $1
  ), let_in as (
    delete from identity.grants where account_id = $1 and $3
  ), passkeys as (
    delete from identity.passkeys where account_id = $1 and $3
  ), changed as (
    update identity.accounts set password_hash = $2 where id = $1 returning id
  )
  insert into identity.outbox (user_id, name, input) select id, 'user.end-sessions', '{}' from changed`;
