import type { Pool } from "pg";
import { inJournal, type Journaled } from "../journal/record.ts";

/** The client that personal access tokens belong to. It can sign nobody in: it has no redirect URI. */
export const personalClientId = "personal-access-tokens";

/** The host of an app whose id is the address of its metadata document; undefined for other apps. */
export const documentHost = (clientId: string): string | undefined =>
  clientId.startsWith("https://") ? URL.parse(clientId)?.host : undefined;

/** The newest grant of an app for an account, so that a person has one connection per app. */
export async function findGrantId(
  pool: Pool,
  accountId: string,
  clientId: string,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from identity.grants where account_id = $1 and client_id = $2 and expires_at > now()
     order by created_at desc limit 1`,
    [accountId, clientId],
  );
  return rows[0]?.id;
}

/** The most personal tokens of an account, and the most connected apps. */
export const maxConnections = 50;

/**
 * Deletes a grant that was just saved if the account has too many of its kind. Counting afterwards is exact for
 * simultaneous requests too.
 * @returns false when it was deleted
 */
export async function keepWithinLimit(pool: Pool, grantId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `delete from identity.grants new
     where new.id = $1 and new.created_at > now() - interval '1 minute' and $2 < (
       select count(*) from identity.grants g
       where g.account_id = new.account_id and g.expires_at > now()
         and (g.client_id = $3) = (new.client_id = $3)
     )`,
    [grantId, maxConnections, personalClientId],
  );
  return rowCount === 0;
}

type Consent = Readonly<{
  accountId: string;
  grantId: string;
  scopes: readonly string[];
  isNew: boolean;
  /** The name of an app that is not stored here. */
  name: string | undefined;
}>;

/** Notes a consent before the app learns of it, and gives a connection its first name; its person may give another. */
export async function noteConsent(
  journaled: Journaled,
  { accountId, grantId, scopes, isNew, name: first }: Consent,
): Promise<void> {
  await inJournal(journaled, accountId, async (client, record) => {
    const { rows } = await client.query<{ name: string }>(
      `update identity.grants g set name = coalesce(g.name, $2) where id = $1
       returning coalesce(g.name, (select c.payload->>'client_name' from identity.clients c where c.id = g.client_id),
         g.client_id) as name`,
      [grantId, first],
    );
    const name = rows[0]?.name ?? "";
    const facts = { name, scopes: scopes.join(", ") || "nothing but to know who you are" };
    await record(isNew ? "app_connected" : "app_allowed", facts, { thing: grantId });
  });
}
