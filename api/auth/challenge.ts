import { allScopes, type Scope } from "../../shared/contracts/scopes.ts";
import type { Config } from "../../shared/process/config.ts";

/** The two protected resources. The REST API's identifier is BASE_URL, that of the MCP endpoint BASE_URL/mcp. */
export type Resource = "rest" | "mcp";

const metadataPath = "/.well-known/oauth-protected-resource";
export const metadataPaths: Record<Resource, string> = { rest: metadataPath, mcp: `${metadataPath}/mcp` };

/** The 401 challenge of RFC 9728 §5.1. It has an `error` only when a token was sent (RFC 6750 §3.1). */
export function unauthenticatedChallenge(
  config: Pick<Config, "baseUrl">,
  resource: Resource,
  tokenSent: boolean,
): string {
  const error = tokenSent ? `, error="invalid_token"` : "";
  return `Bearer realm="kept", resource_metadata="${config.baseUrl}${metadataPaths[resource]}"${error}`;
}

/** The 403 challenge with which an OAuth client can step up (RFC 6750 §3.1, MCP authorization). */
export function scopeChallenge(
  config: Pick<Config, "baseUrl">,
  resource: Resource,
  scopes: readonly Scope[],
): string {
  const challenge = unauthenticatedChallenge(config, resource, false);
  return `${challenge}, error="insufficient_scope", scope="${scopes.join(" ")}"`;
}

/** The protected resource metadata document of RFC 9728 §2. */
export function resourceMetadata(
  { baseUrl, authUrl }: Pick<Config, "baseUrl" | "authUrl">,
  resource: Resource,
) {
  return {
    resource: resource === "mcp" ? `${baseUrl}/mcp` : baseUrl,
    authorization_servers: [authUrl],
    scopes_supported: allScopes,
    bearer_methods_supported: ["header"],
    resource_name: "Kept",
  };
}
