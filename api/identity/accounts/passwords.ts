import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { type Account, accountColumns } from "./accounts.ts";
import type { IdentityContext } from "./context.ts";

/** Argon2id with the parameters of OWASP's password storage cheat sheet. */
const hashing = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

export const passwordLength = { min: 10, max: 200 };

/** The form in which a password is stored. */
export const hashPassword = (password: string): Promise<string> => Bun.password.hash(password, hashing);

/** Finds the account by e-mail address and password. An unknown address takes as long as a wrong password. */
export async function checkPassword(
  pool: Pool,
  email: string,
  password: string,
): Promise<Account | undefined> {
  const { rows } = await pool.query<Account & { passwordHash: string }>(
    `select ${accountColumns}, password_hash as "passwordHash" from identity.accounts where email = $1`,
    [email],
  );
  const [row] = rows;
  const right = await Bun.password.verify(password, row?.passwordHash ?? (await nobodysHash()));
  return right && row ? row : undefined;
}

let nobody: Promise<string> | undefined;

function nobodysHash(): Promise<string> {
  nobody ??= hashPassword(randomUUID());
  return nobody;
}

type NewPassword = { accountId: string; password: string; sessionUid: string | null };

/**
 * Sets a new password and ends all sessions of the account except the one with this uid. The news ends those of the
 * account pages, and deleting their grant ends a sign-in there that is under way.
 */
export async function changePassword(
  { pool, ownClient }: Pick<IdentityContext, "pool" | "ownClient">,
  { accountId, password, sessionUid }: NewPassword,
): Promise<void> {
  await pool.query(
    `with changed as (
       update identity.accounts set password_hash = $2 where id = $1 returning id
     ), ended as (
       delete from identity.artifacts where account_id = $1 and kind = 'Session' and uid is distinct from $3
     ), signed_in as (
       delete from identity.grants where account_id = $1 and client_id = $4
     )
     insert into identity.outbox (user_id, name, input) select id, 'user.end-sessions', '{}' from changed`,
    [accountId, await hashPassword(password), sessionUid, ownClient.id],
  );
}
