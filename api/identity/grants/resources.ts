import type { Grant } from "oidc-provider";
import { isScope, type Scope } from "../../../shared/contracts/kernel/scopes.ts";
import type { Config } from "../../../shared/process/config.ts";

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

/** The scopes that a grant allows. */
export function scopesOf(grant: Grant | undefined, resources: Resources): Scope[] {
  return grant ? grant.getResourceScope(resources.byDefault).split(" ").filter(isScope) : [];
}
