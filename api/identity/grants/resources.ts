import type { Grant } from "oidc-provider";
import { isScope, type Scope } from "../../../shared/contracts/scopes.ts";
import type { Config } from "../../../shared/process/config.ts";

/** What tokens are for: the service, by each of the names that clients give it (RFC 8707). */
export type Resources = Readonly<{
  /** The audience of a token for the resource named so; undefined for a resource that is not ours. */
  audience(identifier: string): string | undefined;
  /** Used when a client names none: the MCP endpoint. */
  byDefault: string;
  identifiers: readonly string[];
}>;

/** The resources of AUTH_AUDIENCE. Clients that rebuild addresses add a slash to a bare origin: both name it. */
export function resourcesOf({ authAudience, baseUrl }: Pick<Config, "authAudience" | "baseUrl">): Resources {
  const audiences = new Map(authAudience.flatMap((audience) => spellings(audience)));
  const byDefault = audiences.get(`${baseUrl}/mcp`) ?? authAudience[0] ?? baseUrl;
  return {
    audience: (identifier) => audiences.get(identifier),
    byDefault,
    identifiers: [...audiences.keys()],
  };
}

function spellings(audience: string): [string, string][] {
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

/** The scopes that a grant allows. */
export function scopesOf(grant: Grant | undefined, resources: Resources): Scope[] {
  return grant ? grant.getResourceScope(resources.byDefault).split(" ").filter(isScope) : [];
}
