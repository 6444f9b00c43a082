import type { AdapterPayload } from "oidc-provider";
import type { Pool } from "pg";
import { isScope } from "../../../../shared/contracts/kernel/scopes.ts";
import { DatabaseFailure } from "../../../../shared/db/database-failure.ts";
import type { Claims } from "../../../auth/claims.ts";
import { isMistypedToken } from "../../../auth/token-format.ts";
import { hashToken } from "../confirmation.ts";

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

/** Removes the service's scopes that the grant no longer allows. */
function stillAllowed(scope: string | undefined, granted: string | null): string | undefined {
  const allowed = (granted ?? "").split(" ");
  const left = scope?.split(" ").filter((word) => !isScope(word) || allowed.includes(word));
  return left?.join(" ") || undefined;
}
