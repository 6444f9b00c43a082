import type { AdapterPayload, Grant, Provider } from "oidc-provider";
import type { Pool } from "pg";
import { isScope, type Scope } from "../../shared/contracts/kernel/scopes.ts";
import { DatabaseFailure } from "../../shared/db/database-failure.ts";
import type { Claims } from "../auth/claims.ts";
import { hashToken, isMistypedToken, newPersonalToken } from "../auth/token-format.ts";
import {
  type ConnectionKey,
  keepWithinLimit,
  personalClientId,
  type Resources,
  setScopes,
  workingSecrets,
} from "./grants.ts";
import { inJournal, type Journaled } from "./journal.ts";

type TokenMaker = Journaled & Readonly<{ provider: Provider; resources: Resources }>;

/** `expiresAt` is epoch seconds. */
type WantedToken = Readonly<{ accountId: string; name: string; scopes: readonly Scope[]; expiresAt: number }>;

/** A token that was just made; its owner sees it once. `id` is its connection's. */
export type NewToken = Readonly<{ id: string; token: string }>;

/** The part of a token that is stored in clear, so that its owner can tell it from others. */
const lastFour = (token: string): string => token.slice(-4);

/**
 * Makes a personal access token: an ordinary access token under a grant of its own.
 * @returns undefined when the account has the most that it may have
 */
export async function createPersonalToken(
  { provider, resources, ...journaled }: TokenMaker,
  { accountId, name, scopes, expiresAt }: WantedToken,
): Promise<NewToken | undefined> {
  const client = await provider.Client.find(personalClientId);
  if (!client) throw new Error("The client of personal access tokens is not configured.");
  const grant: Grant = new provider.Grant({ accountId, clientId: client.clientId });
  setScopes(grant, resources, scopes);
  grant.exp = expiresAt;
  const id = await grant.save();
  if (!(await keepWithinLimit(journaled.pool, id))) return undefined;
  const token = newPersonalToken();
  const named = `update identity.grants set name = $2, last_four = $3 where id = $1`;
  await inJournal(journaled, accountId, async (client, record) => {
    await client.query(named, [id, name, lastFour(token)]);
    const ends = new Date(expiresAt * 1_000).toISOString().slice(0, 10);
    await record("token_made", { name, scopes: scopes.join(", "), ends }, { thing: id });
  });
  const stored = new provider.AccessToken({
    accountId,
    client,
    grantId: id,
    gty: "personal",
    scope: scopes.join(" "),
    aud: resources.byDefault,
  });
  // The library chooses the format when it makes the id itself.
  Object.assign(stored, { jti: token, format: "opaque", exp: expiresAt });
  await stored.save();
  return { id, token };
}

export const maxSecrets = 5;

/**
 * Gives a personal token a new secret; id, scopes and name stay. The grant's row lock is tried and not waited for,
 * because many requests at once would hold the database's connections.
 * @param expiresAt the end of the new secret; undefined leaves that of the token
 * @returns the reason for no new secret; `busy` also if the account has no token with this id
 */
export async function rotateToken(
  journaled: Journaled,
  { accountId, id }: ConnectionKey,
  { graceSeconds, expiresAt }: Readonly<{ graceSeconds: number; expiresAt: number | undefined }>,
): Promise<NewToken | "busy" | "full"> {
  const token = newPersonalToken();
  return inJournal(journaled, accountId, async (client, record) => {
    const { rows } = await client.query<{ name: string }>(
      `select name from identity.grants
       where account_id = $1 and id = $2 and client_id = $3 and expires_at > now() for no key update skip locked`,
      [accountId, id, personalClientId],
    );
    const [grant] = rows;
    if (!grant) return "busy";
    if (
      graceSeconds > 0 &&
      (await client.query(`select ${workingSecrets("$1")}`, [id])).rows.length >= maxSecrets
    )
      return "full";
    await client.query(moveEnd, [id, lastFour(token), expiresAt ?? null]);
    const { rowCount: added } = await client.query(addSecret, [id, hashToken(token)]);
    if (added !== 1) throw new Error("A token has no secret that a new one could be made after.");
    if (graceSeconds === 0) await client.query(endOthers, [id, hashToken(token)]);
    else await client.query(endOthersLater, [id, hashToken(token), graceSeconds]);
    await record("token_rotated", grant, { thing: id });
    return { id, token };
  });
}

export async function endOldSecrets(journaled: Journaled, { accountId, id }: ConnectionKey): Promise<void> {
  await inJournal(journaled, accountId, async (client, record) => {
    const { rows } = await client.query<{ name: string }>(endOld, [accountId, id, personalClientId]);
    if (rows[0]) await record("token_secrets_ended", rows[0]);
  });
}

const endOld = `
  delete from identity.artifacts using identity.grants g
  where g.account_id = $1 and g.id = $2 and g.client_id = $3 and grant_id = g.id and kind = 'AccessToken'
    and id_hash in (select a.id_hash ${workingSecrets("$2")} offset 1)
  returning g.name`;

const moveEnd = `
  update identity.grants
  set last_four = $2,
    end_told_at = case when $3::double precision is null then end_told_at end,
    expires_at = coalesce(to_timestamp($3), expires_at),
    payload = case when $3 is null then payload else payload || jsonb_build_object('exp', $3) end
  where id = $1`;

/** The new secret copies the newest one, but starts now and ends with its grant. */
const addSecret = `
  insert into identity.artifacts (kind, id_hash, payload, account_id, grant_id, expires_at)
  select a.kind, $2, (a.payload::jsonb || jsonb_build_object(
      'iat', floor(extract(epoch from now())), 'exp', g.payload->'exp'))::json,
    a.account_id, a.grant_id, g.expires_at
  from identity.grants g join identity.artifacts a on a.grant_id = g.id and a.kind = 'AccessToken'
  where g.id = $1
  order by a.expires_at desc limit 1`;

const endOthers = `
  delete from identity.artifacts where grant_id = $1 and kind = 'AccessToken' and id_hash <> $2`;

const endOthersLater = `
  update identity.artifacts
  set expires_at = least(expires_at, now() + make_interval(secs => $3)),
    payload = (payload::jsonb || jsonb_build_object('exp',
      floor(extract(epoch from least(expires_at, now() + make_interval(secs => $3))))))::json
  where grant_id = $1 and kind = 'AccessToken' and id_hash <> $2`;

/** A token and the present facts of its grant; `granted` is null when that allows nothing. */
type StoredToken = Readonly<{
  payload: AdapterPayload;
  grantId: string;
  clientName: string;
  timeZone: string | null;
  granted: string | null;
}>;

/**
 * Finds the claims of an access token for the service, and notes its use at most once a minute. `jti` is the id of the
 * connection, because the action log, the page of tokens and an app's limits need an id that survives a refresh.
 */
export async function findToken(
  pool: Pick<Pool, "query">,
  audiences: readonly string[],
  token: string,
): Promise<Claims | undefined> {
  if (isMistypedToken(token)) return undefined;
  const { rows } = await pool.query<StoredToken>(readToken, [hashToken(token)]).catch((error) => {
    throw new DatabaseFailure(error);
  });
  const [found] = rows;
  if (!found) return undefined;
  const { accountId: sub, clientId: client_id, aud, scope, iat, exp } = found.payload;
  const { grantId: jti, clientName: client_name, timeZone, granted } = found;
  // A sign-in's own token has no audience, and must never open the service.
  if (![aud].flat().some((one) => one !== undefined && audiences.includes(one))) return undefined;
  return {
    ...{ sub, client_id, aud, iat, exp, jti, client_name },
    scope: stillAllowed(scope, granted),
    zoneinfo: timeZone ?? undefined,
  };
}

const readToken = `
  with token as (
    select payload, grant_id from identity.artifacts
    where kind = 'AccessToken' and id_hash = $1 and expires_at > now()
  ), used as (
    update identity.grants g set last_used_at = now() from token t
    where g.id = t.grant_id and (g.last_used_at is null or g.last_used_at < now() - interval '1 minute')
  )
  select t.payload, g.id as "grantId", coalesce(g.name, c.payload->>'client_name', g.client_id) as "clientName",
    a.time_zone as "timeZone",
    (select string_agg(allowed.value, ' ') from jsonb_each_text(g.payload->'resources') allowed) as granted
  from token t
    join identity.grants g on g.id = t.grant_id
    join identity.accounts a on a.id = g.account_id
    left join identity.clients c on c.id = g.client_id
  where g.expires_at > now()`;

function stillAllowed(scope: string | undefined, granted: string | null): string | undefined {
  const allowed = (granted ?? "").split(" ");
  const left = scope?.split(" ").filter((word) => !isScope(word) || allowed.includes(word));
  return left?.join(" ") || undefined;
}
