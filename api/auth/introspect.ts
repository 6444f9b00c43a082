import type { Config } from "../../shared/process/config.ts";
import type { Claims } from "./claims.ts";
import { type Provider, ProviderUnavailable, providerTimeoutMs } from "./provider.ts";

type AuthClient = NonNullable<Config["authClient"]>;

/** The Authorization header of the service's own requests to the provider (RFC 6749 §2.3.1). */
const basicAuthorization = ({ id, secret }: AuthClient): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`;

type Introspecting = Readonly<{ issuer: Provider["issuer"]; introspectionEndpoint: string }>;

/**
 * Asks the provider about a token (RFC 7662).
 * @returns undefined when it is not active, or not meant for this service; `unsupported` when the provider does
 * not introspect tokens of this kind
 * @throws ProviderUnavailable when the provider gives no usable answer
 */
export async function introspect(
  token: string,
  { issuer, introspectionEndpoint }: Introspecting,
  client: AuthClient,
  audience: readonly string[],
): Promise<Claims | "unsupported" | undefined> {
  const answer = await ask(token, introspectionEndpoint, client);
  if (answer.error === "unsupported_token_type") return "unsupported";
  if (answer.active !== true || answer.token_type === "refresh_token") return undefined;
  if (!isIssuedBy(issuer, answer.iss)) return undefined;
  const now = Date.now() / 1000;
  if (typeof answer.exp === "number" && answer.exp <= now) return undefined;
  if (typeof answer.nbf === "number" && answer.nbf > now + 5) return undefined;
  const aud = [answer.aud].flat();
  return aud.some((one) => typeof one === "string" && audience.includes(one)) ? answer : undefined;
}

/** `iss` is optional (RFC 7662 §2.2). When given it must match, since an endpoint may serve several issuers. */
function isIssuedBy(issuer: string, iss: unknown): boolean {
  if (iss === undefined || iss === null) return true;
  return typeof iss === "string" && iss.replace(/\/$/, "") === issuer.replace(/\/$/, "");
}

async function ask(token: string, endpoint: string, client: AuthClient): Promise<Claims> {
  try {
    const response = await fetch(endpoint, {
      method: "POST",
      headers: { authorization: basicAuthorization(client), accept: "application/json" },
      body: new URLSearchParams({ token, token_type_hint: "access_token" }),
      signal: AbortSignal.timeout(providerTimeoutMs),
    });
    const answer = (await response.json()) as Claims;
    // The only error that is about the token (RFC 7009 §2.2.1). Others, such as a wrong secret, are the service's.
    if (response.ok || answer.error === "unsupported_token_type") return answer;
    throw new ProviderUnavailable(`Introspection answered ${response.status}.`);
  } catch (error) {
    if (error instanceof ProviderUnavailable) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ProviderUnavailable(`Introspection failed: ${reason}`);
  }
}
