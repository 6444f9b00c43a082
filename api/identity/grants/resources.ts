import type { Grant } from "oidc-provider";
import type { Pool } from "pg";
import { isScope, type Scope } from "../../../shared/contracts/kernel/scopes.ts";
import type { Config } from "../../../shared/process/config.ts";
import type { Log } from "../../../shared/process/observe/log.ts";

/** The service as the resource of tokens (RFC 8707), under each address by which clients name it. */
export type Resources = Readonly<{
  /** @returns the audience of a token for a resource; undefined when it is no resource of this service */
  audience(identifier: string): string | undefined;
  /** The resource if a client names none: the MCP endpoint. */
  byDefault: string;
  identifiers: readonly string[];
}>;

/** The resources of AUTH_AUDIENCE, also in the form of clients that add a slash to a bare origin. */
export function resourcesOf({ authAudience, baseUrl }: Pick<Config, "authAudience" | "baseUrl">): Resources {
  const audiences = new Map(authAudience.flatMap((audience) => formsOf(audience)));
  const byDefault = audiences.get(`${baseUrl}/mcp`) ?? authAudience[0] ?? baseUrl;
  return {
    audience: (identifier) => audiences.get(identifier),
    byDefault,
    identifiers: [...audiences.keys()],
  };
}

function formsOf(audience: string): [string, string][] {
  const href = URL.parse(audience)?.href ?? audience;
  return [
    [audience, audience],
    [href, audience],
  ];
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
