import { randomUUID } from "node:crypto";
import { DatabaseError, type Pool } from "pg";
import { isTimeZone } from "../../../shared/domain/day/day.ts";
import type { Config } from "../../../shared/process/config.ts";
import { follow, type Look } from "../../web/locale.ts";
import { inJournal, type Journaled } from "../journal.ts";

export type Account = Readonly<{
  id: string;
  email: string;
  /** True once the owner has proven that mail to the address reaches them. */
  emailVerified: boolean;
  /**
   * The zone given at sign-up; null until the owner's first sign-in. `zoneOf` decides which zone counts.
   */
  timeZone: string | null;
}>;

export const accountColumns = `id, email, email_verified_at is not null as "emailVerified", time_zone as "timeZone"`;

/** Finds the account `a` for which a condition in SQL holds. */
export async function findAccountWhere(
  client: Pick<Pool, "query">,
  condition: string,
  values: readonly (string | Buffer)[],
): Promise<Account | undefined> {
  const { rows } = await client.query<Account>(
    `select ${accountColumns} from identity.accounts a where ${condition}`,
    [...values],
  );
  return rows[0];
}

export const findAccount = (pool: Pool, id: string): Promise<Account | undefined> =>
  findAccountWhere(pool, "id = $1", [id]);

/** Finds an account by its e-mail address, which must be in the form of `normalizeEmail`. */
export const findAccountByEmail = (pool: Pool, email: string): Promise<Account | undefined> =>
  findAccountWhere(pool, "email = $1", [email]);

/** Reads the account, and keeps others from changing it until the transaction ends. */
export const lockAccount = (client: Pick<Pool, "query">, id: string): Promise<Account | undefined> =>
  findAccountWhere(client, "id = $1 for no key update", [id]);

type NewAccount = Readonly<{
  email: string;
  passwordHash: string;
  timeZone: string | null;
  isVerified?: boolean;
}>;

/** @returns the new account; undefined when the e-mail address has one already */
export function createAccount(
  journaled: Journaled,
  { email, passwordHash, timeZone, isVerified = false }: NewAccount,
): Promise<Account | undefined> {
  const id = randomUUID();
  return inJournal(journaled, id, async (client, record) => {
    const { rows } = await client.query<Account>(
      `insert into identity.accounts (id, email, password_hash, time_zone, email_verified_at)
       values ($1, $2, $3, $4, case when $5 then now() end)
       on conflict (email) do nothing returning ${accountColumns}`,
      [id, email, passwordHash, timeZone, isVerified],
    );
    if (rows[0]) await record("account_made", {});
    return rows[0];
  });
}

/** Deletes the account with its tokens, connected apps and sessions; the service is told, and deletes its part. */
export async function deleteAccount(journaled: Journaled, id: string): Promise<void> {
  await inJournal(journaled, id, async (client, record) => {
    const { rowCount } = await client.query(
      `with gone as (delete from identity.accounts where id = $1 returning id)
       insert into identity.outbox (user_id, name, input) select id, 'user.delete', '{}' from gone`,
      [id],
    );
    if (rowCount === 1) await record("account_deleted", {});
  });
}

/** @returns the address in lower case, as addresses are stored; undefined when the text is no address */
export function normalizeEmail(text: string): string | undefined {
  const email = text.trim().normalize("NFC").toLowerCase();
  return email.length <= 254 && addressForm.test(email) ? email : undefined;
}

/** Excludes quotes, comments and lists (RFC 5322 §3.2.3 "specials"), which mail servers read in different ways. */
const addressForm = /^[^\s\p{Cc}@"(),:;<>[\\\]]+@[^\s\p{Cc}@"(),:;<>[\\\]]+$/u;

/**
 * Sets another address, which is unconfirmed, and has the service remove the one before.
 * @returns false when the address has an account already
 */
export function setEmail(journaled: Journaled, id: string, email: string): Promise<boolean> {
  return unlessTaken(
    inJournal(journaled, id, async (client, record) => {
      const before = await lockAccount(client, id);
      await record("address_changed", {}, before?.emailVerified ? { email: before.email } : {});
      const { rowCount } = await client.query(
        `with changed as (
         update identity.accounts set email = $2, email_verified_at = null where id = $1 returning id
       )
       insert into identity.outbox (user_id, name, input)
       select id, news.name, news.input from changed, (values
         ('user.configure', '{"email": null}'::jsonb), ('user.end-sessions', '{}')) news(name, input)`,
        [id, email],
      );
      return rowCount !== 0;
    }),
  );
}

/** @returns false when the change would give an account the address of another */
export const unlessTaken = (change: Promise<boolean>): Promise<boolean> =>
  change.catch((error) => {
    if (isUniqueViolation(error)) return false;
    throw error;
  });

export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === "23505";

/** The zone that the service has for the person, if it knows them. */
async function serviceZone(pool: Pool, userId: string) {
  const { rows } = await pool.query<Look & { zone: string; isChosen: boolean }>(
    `select time_zone as zone, zone_source = 'chosen' as "isChosen", theme, week_start from users where user_id = $1`,
    [userId],
  );
  return rows[0];
}

type Zoned = Pick<Account, "id" | "timeZone">;

/** The zone for times shown to the person: the one on the account pages, whose look the page follows as well. */
export async function zoneOf(
  { pool, config }: Readonly<{ pool: Pool; config: Pick<Config, "defaultTimeZone"> }>,
  { id, timeZone }: Zoned,
): Promise<string> {
  const known = await serviceZone(pool, id);
  if (known) follow(known);
  return known?.zone ?? timeZone ?? config.defaultTimeZone;
}

/** The zone told to apps: the one chosen in the settings of Kept, else the one from the sign-up. */
export async function claimedZone(pool: Pool, { id, timeZone }: Zoned): Promise<string | null> {
  const known = await serviceZone(pool, id);
  return known?.isChosen ? known.zone : timeZone;
}

/** Stores the browser's zone for an account that has none, as the owner's at the first sign-in. */
export async function rememberBrowserZone(
  pool: Pool,
  { id, timeZone }: Zoned,
  zone: string | null,
): Promise<void> {
  if (timeZone !== null || zone === null || zone.length > maxZoneLength || !isTimeZone(zone)) return;
  await pool.query(`update identity.accounts set time_zone = $2 where id = $1 and time_zone is null`, [
    id,
    zone,
  ]);
}

/** The contract of the settings has the same limit. */
const maxZoneLength = 64;
