import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { allScopes } from "../../shared/contracts/kernel/scopes.ts";
import { exclusively } from "../../shared/db/exclusively.ts";
import { createAccount, findAccountByEmail } from "./accounts/accounts.ts";
import type { IdentityContext } from "./accounts/context.ts";
import { changePassword, hashPassword } from "./accounts/passwords/passwords.ts";
import { createPersonalToken } from "./grants/personal-token.ts";

const ownerEmail = "owner@localhost";
const tenYears = 3_650 * 24 * 60 * 60;

/**
 * Makes the owner's account and a token with all scopes, also written to DATA_DIR/owner-token (mode 0600).
 * @returns the facts to show once; undefined at later starts, even if the owner deleted the account
 */
export async function createOwner(identity: IdentityContext): Promise<Record<string, string> | undefined> {
  // The start itself prints the owner and the token.
  const quiet = { ...identity, security() {} };
  return exclusively(identity.pool, { name: "kept.identity.owner", taken: "wait" }, () => makeOwner(quiet));
}

async function makeOwner(identity: IdentityContext): Promise<Record<string, string> | undefined> {
  const { pool, config } = identity;
  const { rowCount } = await pool.query("select from identity.secrets where name = 'owner'");
  if (rowCount !== 0) return undefined;
  const password = randomBytes(15).toString("base64url");
  const accountId = await ownerAccount(identity, password);
  const token = await createOwnerToken(identity, accountId);
  await writeFile(join(config.dataDir, "owner-token"), `${token}\n`, { mode: 0o600 });
  // This row is stored last, so that a start that was interrupted before is repeated.
  const stored = "insert into identity.secrets (name, value) values ('owner', to_jsonb($1::text))";
  await pool.query(stored, [accountId]);
  return { owner_email: ownerEmail, owner_password: password, owner_token: token };
}

async function ownerAccount(identity: IdentityContext, password: string): Promise<string> {
  const created = await createAccount(identity, {
    email: ownerEmail,
    passwordHash: await hashPassword(password),
    // The zone is unknown; the owner's browser tells it at the first sign-in.
    timeZone: null,
  });
  if (created) return created.id;
  const account = await findAccountByEmail(identity.pool, ownerEmail);
  if (!account) throw new Error("The owner's account can neither be made nor found.");
  await changePassword(identity, { accountId: account.id, password, way: "link" });
  return account.id;
}

async function createOwnerToken(identity: IdentityContext, accountId: string): Promise<string> {
  const expiresAt = Math.floor(Date.now() / 1_000) + tenYears;
  const wanted = { accountId, name: "Owner's first token", scopes: allScopes, expiresAt };
  const created = await createPersonalToken(identity, wanted);
  if (created === undefined) throw new Error("The owner has too many tokens already.");
  return created.token;
}
