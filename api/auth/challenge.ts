import { allScopes, type Scope } from "../../shared/contracts/kernel/scopes.ts";
import type { Refusal } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";

/** The two protected resources. The REST API's identifier is BASE_URL, that of the MCP endpoint BASE_URL/mcp. */
type Resource = "rest" | "mcp";

const metadataPath = "/.well-known/oauth-protected-resource";
export const metadataPaths: Record<Resource, string> = { rest: metadataPath, mcp: `${metadataPath}/mcp` };

/** The resource, scopes and token of a refused request. */
type Demand = Readonly<{ resource: Resource; tokenSent: boolean; scopes?: readonly Scope[] }>;

/**
 * Adds to a 401 or 403 what leads a client to a token that would be accepted (RFC 9728 §5.1). A 401 has an `error` only
 * when a token was sent (RFC 6750 §3.1); with a 403 an OAuth client can step up (MCP authorization).
 * @returns the headers, unchanged for other refusals
 */
export function addChallenge(
  { baseUrl }: Pick<Config, "baseUrl">,
  { code }: Refusal,
  { resource, tokenSent, scopes = [] }: Demand,
  headers = new Headers(),
): Headers {
  const challenge = `Bearer realm="kept", resource_metadata="${baseUrl}${metadataPaths[resource]}"`;
  if (code === "unauthenticated")
    headers.set("www-authenticate", tokenSent ? `${challenge}, error="invalid_token"` : challenge);
  if (code === "insufficient_scope")
    headers.set("www-authenticate", `${challenge}, error="insufficient_scope", scope="${scopes.join(" ")}"`);
  return headers;
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
