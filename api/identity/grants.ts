import type { AdapterPayload, ClientMetadata, Grant } from "oidc-provider";
import type { Pool } from "pg";
import { isScope, type Scope } from "../../shared/contracts/kernel/scopes.ts";
import { readAddress } from "../../shared/domain/outside-address.ts";
import type { Config } from "../../shared/process/config.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import { isConnectionId } from "../auth/token-format.ts";
import { inJournal, type Journaled } from "./journal.ts";

/** The client that personal access tokens belong to. It can sign nobody in: it has no redirect URI. */
export const personalClientId = "personal-access-tokens";

/** A personal access token or a connected app. The id is the `jti` of its claims; times are epoch milliseconds. */
export type Connection = Readonly<{
  id: string;
  isPersonal: boolean;
  name: string;
  /** Null for apps. */
  lastFour: string | null;
  scopes: Scope[];
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number;
  /** The end of the last earlier secret; null when none of them works. */
  oldSecretEndsAt: number | null;
}>;

/** The account's connections, newest first: all, or the one with this id. */
export async function listConnections(
  { pool, resources }: Readonly<{ pool: Pool; resources: Resources }>,
  accountId: string,
  id: string | null = null,
): Promise<Connection[]> {
  if (id !== null && !isConnectionId(id)) return [];
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

const milliseconds = (column: string): string => `(extract(epoch from ${column}) * 1000)::double precision`;

/** Ends a connection of the account: its tokens stop working at once. */
export async function revokeConnection(journaled: Journaled, accountId: string, id: string): Promise<void> {
  if (!isConnectionId(id)) return;
  await inJournal(journaled, accountId, async (client, record) => {
    const { rows } = await client.query<Pick<Connection, "name" | "isPersonal">>(endGrant, [accountId, id]);
    for (const { name, isPersonal } of rows)
      await record(isPersonal ? "token_revoked" : "app_ended", { name });
  });
}

const endGrant = `
  with ended as (
    delete from identity.grants where account_id = $1 and id = $2 returning name, client_id
  )
  select coalesce(e.name, c.payload->>'client_name', e.client_id) as name,
    e.client_id = '${personalClientId}' as "isPersonal"
  from ended e left join identity.clients c on c.id = e.client_id`;

export type ConnectionKey = Readonly<{ accountId: string; id: string }>;

/**
 * Renames a connection and removes scopes that are not in `scopes`. A check of a token reads its grant, so the tokens
 * lose them too. The statement intersects with the present scopes: a form from an old page cannot widen them again.
 * @returns false when the account has no connection with this id
 */
export async function changeConnection(
  journaled: Journaled,
  { accountId, id }: ConnectionKey,
  { name, scopes }: Readonly<{ name: string; scopes: readonly Scope[] }>,
): Promise<boolean> {
  return inJournal(journaled, accountId, async (client, record) => {
    const { rowCount } = await client.query(
      `update identity.grants g
     set name = $3,
       payload = jsonb_set(g.payload, '{resources}', (
         select coalesce(jsonb_object_agg(allowed.key, (
           select coalesce(string_agg(word, ' '), '')
           from regexp_split_to_table(allowed.value, ' ') word where word = any($4::text[])
         )), '{}')
         from jsonb_each_text(g.payload->'resources') allowed
       ))
     where g.account_id = $1 and g.id = $2 and g.expires_at > now()`,
      [accountId, id, name, scopes],
    );
    if (rowCount === 1) await record("token_changed", { name, scopes: scopes.join(", ") });
    return rowCount === 1;
  });
}

/** The host of an app whose id is the address of its metadata document; undefined for other apps. */
export function documentHost(clientId: string): string | undefined {
  const url = readAddress(clientId);
  return url?.protocol === "https:" ? url.host : undefined;
}

/** @returns what an app registered, or the copy of its document; undefined when the app is unknown */
export async function findApp(pool: Pool, clientId: string): Promise<AdapterPayload | undefined> {
  // Client ids are untrusted input and may contain NUL, which Postgres cannot store.
  if (clientId.includes("\0")) return undefined;
  const { rows } = await pool.query<{ payload: AdapterPayload }>(
    `select payload from identity.clients where id = $1`,
    [clientId],
  );
  return rows[0]?.payload;
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
  /** The document of an app that has not registered. */
  document: ClientMetadata | undefined;
}>;

/** Notes a consent before the app learns of it, and gives a connection its first name; its person may give another. */
export async function noteConsent(
  journaled: Journaled,
  { accountId, grantId, scopes, isNew, document }: Consent,
): Promise<void> {
  await inJournal(journaled, accountId, async (client, record) => {
    if (document)
      await client.query(
        `insert into identity.clients (id, payload) values ($1, $2)
         on conflict (id) do update set payload = excluded.payload`,
        [document.client_id, JSON.stringify(document)],
      );
    const { rows } = await client.query<{ name: string }>(
      `update identity.grants g set name = coalesce(g.name, $2) where id = $1
       returning coalesce(g.name, (select c.payload->>'client_name' from identity.clients c where c.id = g.client_id),
         g.client_id) as name`,
      [grantId, document && nameByDocument(document)],
    );
    const name = rows[0]?.name ?? "";
    const facts = { name, scopes: scopes.join(", ") || "nothing but to know who you are" };
    await record(isNew ? "app_connected" : "app_allowed", facts, { thing: grantId });
  });
}

/** The first name of a connection says where it comes from. */
function nameByDocument({ client_id, client_name }: ClientMetadata): string {
  const host = documentHost(client_id) ?? client_id;
  return client_name ? `${client_name} (${host})` : host;
}

/** The service as the resource of tokens (RFC 8707), under each address by which clients name it. */
export type Resources = Readonly<{
  /** @returns the audience of a token for a resource; undefined when it is no resource of this service */
  audience(identifier: string): string | undefined;
  /** The resource if a client names none: the MCP endpoint. */
  byDefault: string;
  identifiers: readonly string[];
}>;

/** The resources of AUTH_AUDIENCE, also in the form of clients that add a slash. */
export function resourcesOf({ authAudience, baseUrl }: Pick<Config, "authAudience" | "baseUrl">): Resources {
  const formsOf = (audience: string) => [audience, `${audience.replace(/\/$/, "")}/`];
  const audiences = new Map(
    authAudience.flatMap((audience) => formsOf(audience).map((form) => [form, audience] as const)),
  );
  const byDefault = audiences.get(`${baseUrl}/mcp`) ?? authAudience[0] ?? baseUrl;
  return {
    audience: (identifier) => audiences.get(identifier),
    byDefault,
    identifiers: [...audiences.keys()],
  };
}

/** Sets what a grant allows: exactly these scopes, the same on every resource. */
export function setScopes(grant: Grant, resources: Resources, scopes: readonly Scope[]): void {
  grant.resources = Object.fromEntries(resources.identifiers.map((id) => [id, scopes.join(" ")]));
}

/** The scopes that a grant allows. Its resources have the address at which the service was when it was given. */
export function scopesOf(grant: Grant | undefined): Scope[] {
  const [scope = ""] = Object.values(grant?.resources ?? {});
  return scope.split(" ").filter(isScope);
}

/**
 * Warns of tokens that a change of BASE_URL ended: their audience is the address of before.
 * @returns the former address; undefined if no token is refused
 */
export async function warnOfFormerResources(
  pool: Pool,
  resources: Resources,
  log: Log,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ count: number; former: string | null }>(
    `select count(*)::int as count, min((select min(id) from jsonb_object_keys(payload->'resources') id)) as former
     from identity.grants
     where expires_at > now() and payload->'resources' <> '{}' and not payload->'resources' ?| $1`,
    [resources.identifiers],
  );
  const { count = 0, former = null } = rows[0] ?? {};
  if (count === 0 || former === null) return undefined;
  log.warn(
    { connections: count, former },
    "tokens of a former address are refused: AUTH_AUDIENCE may name it",
  );
  return former;
}
