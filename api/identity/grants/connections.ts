import type { Pool } from "pg";
import { isScope, type Scope } from "../../../shared/contracts/kernel/scopes.ts";
import { isConnectionId } from "../../auth/token-format.ts";
import { inJournal, type Journaled } from "../journal/record.ts";
import { personalClientId } from "./grants.ts";
import type { Resources } from "./resources.ts";

/** A personal access token or a connected app. The id is the `jti` of its claims; times are epoch milliseconds. */
export type Connection = Readonly<{
  id: string;
  isPersonal: boolean;
  name: string;
  /** Null for apps, and for tokens from releases that did not store it. */
  lastFour: string | null;
  scopes: Scope[];
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number;
  /** The end of the last earlier secret; null when none of them works. */
  oldSecretEndsAt: number | null;
}>;

type Source = Readonly<{ pool: Pool; resources: Resources }>;

/** The account's connections, newest first. */
export const listConnections = (source: Source, accountId: string): Promise<Connection[]> =>
  readConnections(source, accountId, null);

/** @returns undefined when the account has no connection of this id */
export async function findConnection(
  source: Source,
  accountId: string,
  id: string,
): Promise<Connection | undefined> {
  if (!isConnectionId(id)) return undefined;
  const [found] = await readConnections(source, accountId, id);
  return found;
}

async function readConnections(
  { pool, resources }: Source,
  accountId: string,
  id: string | null,
): Promise<Connection[]> {
  const { rows } = await pool.query<Connection & { scope: string | null }>(
    `select g.id, g.client_id = $3 as "isPersonal",
       coalesce(g.name, c.payload->>'client_name', g.client_id) as name,
       g.last_four as "lastFour",
       g.payload->'resources'->>$2 as scope,
       ${milliseconds("g.created_at")} as "createdAt",
       ${milliseconds("g.last_used_at")} as "lastUsedAt",
       ${milliseconds("g.expires_at")} as "expiresAt",
       (select max(${milliseconds("old.expires_at")}) from (
         select a.expires_at ${workingSecrets("g.id")} offset 1) old
        where g.client_id = $3) as "oldSecretEndsAt"
     from identity.grants g left join identity.clients c on c.id = g.client_id
     where g.account_id = $1 and g.expires_at > now() and ($4::text is null or g.id = $4)
     order by g.created_at desc, g.id`,
    [accountId, resources.byDefault, personalClientId, id],
  );
  return rows.map(({ scope, ...row }) => ({ ...row, scopes: (scope ?? "").split(" ").filter(isScope) }));
}

/**
 * The working secrets of a personal token's grant, newest first. The newest ends with the token, the others before or
 * with it.
 */
export const workingSecrets = (grantId: string): string =>
  `from identity.artifacts a where a.grant_id = ${grantId} and a.kind = 'AccessToken' and a.expires_at > now()
   order by a.expires_at desc, (a.payload->>'iat')::double precision desc`;

function milliseconds(column: string): string {
  return `(extract(epoch from ${column}) * 1000)::double precision`;
}

/** Ends a connection of the account: its tokens stop working at once. */
export async function revokeConnection(journaled: Journaled, accountId: string, id: string): Promise<void> {
  if (!isConnectionId(id)) return;
  await inJournal(journaled, accountId, async (client, record) => {
    const { rows } = await client.query<Ended>(endGrant, [accountId, id]);
    for (const { name, isPersonal } of rows)
      await record(isPersonal ? "token_revoked" : "app_ended", { name });
  });
}

type Ended = Readonly<{ name: string; isPersonal: boolean }>;

const endGrant = `
  with ended as (
    delete from identity.grants where account_id = $1 and id = $2 returning name, client_id
  )
  select coalesce(e.name, c.payload->>'client_name', e.client_id) as name,
    e.client_id = '${personalClientId}' as "isPersonal"
  from ended e left join identity.clients c on c.id = e.client_id`;
