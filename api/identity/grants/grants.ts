import type { Grant, Provider } from "oidc-provider";
import type { Pool } from "pg";
import { isScope, type Scope } from "../../../shared/contracts/scopes.ts";
import type { Identity } from "../accounts/context.ts";
import { type Resources, setScopes } from "./resources.ts";

/** The client that personal access tokens belong to. It can sign nobody in: it has no redirect URI. */
export const PERSONAL_CLIENT = "personal-access-tokens";

/**
 * What a person has let in: a personal access token or a connected app. The id is the `jti` of introspection; times
 * are epoch milliseconds.
 */
export type Connection = Readonly<{
  id: string;
  isPersonal: boolean;
  name: string;
  scopes: Scope[];
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number;
}>;

/** The account's connections, newest first; the service's own sign-in is not one of them. */
export async function listConnections(
  pool: Pool,
  accountId: string,
  resources: Resources,
  ownClient: string,
): Promise<Connection[]> {
  const { rows } = await pool.query<Connection & { scope: string | null }>(
    `select g.id, g.client_id = $3 as "isPersonal",
       coalesce(g.name, c.payload->>'client_name', g.client_id) as name,
       g.payload->'resources'->>$2 as scope,
       ${milliseconds("g.created_at")} as "createdAt",
       ${milliseconds("g.last_used_at")} as "lastUsedAt",
       ${milliseconds("g.expires_at")} as "expiresAt"
     from identity.grants g left join identity.clients c on c.id = g.client_id
     where g.account_id = $1 and g.client_id <> $4 and g.expires_at > now()
     order by g.created_at desc, g.id`,
    [accountId, resources.byDefault, PERSONAL_CLIENT, ownClient],
  );
  return rows.map(({ scope, ...row }) => ({ ...row, scopes: (scope ?? "").split(" ").filter(isScope) }));
}

function milliseconds(column: string): string {
  return `(extract(epoch from ${column}) * 1000)::double precision`;
}

/** Ends a connection of the account: its tokens stop working at once. */
export async function revokeConnection(pool: Pool, accountId: string, id: string): Promise<void> {
  if (!/^[\w-]+$/.test(id)) return;
  await pool.query(`delete from identity.grants where account_id = $1 and id = $2`, [accountId, id]);
}

/** Ends all personal tokens and connected apps of the account; the service's own sign-in is neither. */
export async function revokeAll(
  { pool, ownClient }: Pick<Identity, "pool" | "ownClient">,
  accountId: string,
): Promise<void> {
  await pool.query(`delete from identity.grants where account_id = $1 and client_id <> $2`, [
    accountId,
    ownClient.id,
  ]);
}

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

/** Notes that a token of the grant was used (at most once a minute) and names what introspection adds. */
export async function recordUse(
  pool: Pool,
  grantId: string,
): Promise<{ clientName: string; timeZone: string | null } | undefined> {
  const { rows } = await pool.query<{ clientName: string; timeZone: string | null }>(
    `with used as (
       update identity.grants set last_used_at = now()
       where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')
     )
     select coalesce(g.name, c.payload->>'client_name', g.client_id) as "clientName", a.time_zone as "timeZone"
     from identity.grants g
       join identity.accounts a on a.id = g.account_id
       left join identity.clients c on c.id = g.client_id
     where g.id = $1`,
    [grantId],
  );
  return rows[0];
}

/** So many personal tokens an account may have, and as many connected apps: each has limits of its own. */
export const MAX_CONNECTIONS = 50;

/**
 * Takes a grant that was just saved back when the account has too many of its kind. Counting afterwards is exact for
 * requests at the same moment too. False: it was taken back.
 */
export async function keepWithinLimit(pool: Pool, grantId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `delete from identity.grants new
     where new.id = $1 and new.created_at > now() - interval '1 minute' and $2 < (
       select count(*) from identity.grants g
       where g.account_id = new.account_id and g.expires_at > now()
         and (g.client_id = $3) = (new.client_id = $3)
     )`,
    [grantId, MAX_CONNECTIONS, PERSONAL_CLIENT],
  );
  return rowCount === 0;
}

/**
 * Makes a personal access token: an ordinary access token under a grant of its own. Returns the token itself;
 * undefined: the account has as many as it may.
 */
export async function createPersonalToken(
  provider: Provider,
  pool: Pool,
  resources: Resources,
  wanted: { accountId: string; name: string; scopes: readonly Scope[]; days: number },
): Promise<string | undefined> {
  const { accountId, name, scopes, days } = wanted;
  const client = await provider.Client.find(PERSONAL_CLIENT);
  if (!client) throw new Error("The client of personal access tokens is not configured.");
  const exp = Math.floor(Date.now() / 1_000) + days * 24 * 60 * 60;
  const grant: Grant = new provider.Grant({ accountId, clientId: client.clientId });
  setScopes(grant, resources, scopes);
  grant.exp = exp;
  const grantId = await grant.save();
  if (!(await keepWithinLimit(pool, grantId))) return undefined;
  await pool.query(`update identity.grants set name = $2 where id = $1`, [grantId, name]);
  const token = new provider.AccessToken({
    accountId,
    client,
    grantId,
    gty: "personal",
    scope: scopes.join(" "),
    aud: resources.byDefault,
  });
  token.exp = exp;
  return await token.save();
}
