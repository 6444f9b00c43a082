import { allScopes, type Scope, usualScopes } from "../../shared/contracts/kernel/scopes.ts";
import type { Refusal } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";

/** The two protected resources. The REST API's identifier is BASE_URL, that of the MCP endpoint BASE_URL/mcp. */
type Resource = "rest" | "mcp";

const metadataPath = "/.well-known/oauth-protected-resource";
export const metadataPaths: Record<Resource, string> = { rest: metadataPath, mcp: `${metadataPath}/mcp` };

/** The resource and token of a refused request, and the scopes to ask for. */
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
  const errors = { unauthenticated: tokenSent && "invalid_token", insufficient_scope: "insufficient_scope" };
  if (code !== "unauthenticated" && code !== "insufficient_scope") return headers;
  const parameters = {
    realm: "kept",
    resource_metadata: `${baseUrl}${metadataPaths[resource]}`,
    error: errors[code],
    scope: scopes.join(" "),
  };
  const said = Object.entries(parameters).flatMap(([name, value]) => (value ? `${name}="${value}"` : []));
  headers.set("www-authenticate", `Bearer ${said.join(", ")}`);
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
    scopes_supported: resource === "mcp" ? usualScopes : allScopes,
    bearer_methods_supported: ["header"],
    resource_name: "Kept",
  };
}
