import type { IdentityClient } from "../../shared/identity-client.ts";
import type { Claims } from "./claims.ts";
import { ProviderUnavailable, providerTimeoutMs } from "./provider.ts";

/**
 * Asks the provider about a token (RFC 7662).
 * @returns undefined when it is not active, or not meant for this service
 * @throws ProviderUnavailable when the provider gives no usable answer
 */
export async function introspect(
  token: string,
  endpoint: string,
  client: IdentityClient,
  audience: readonly string[],
): Promise<Claims | undefined> {
  const answer = await ask(token, endpoint, client);
  if (answer.active !== true || answer.token_type === "refresh_token") return undefined;
  const now = Date.now() / 1000;
  if (typeof answer.exp === "number" && answer.exp <= now) return undefined;
  if (typeof answer.nbf === "number" && answer.nbf > now + 5) return undefined;
  const aud = [answer.aud].flat();
  return aud.some((one) => typeof one === "string" && audience.includes(one)) ? answer : undefined;
}

async function ask(token: string, endpoint: string, { id, secret }: IdentityClient): Promise<Claims> {
  const credentials = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString(
    "base64",
  );
  try {
    const response = await fetch(endpoint, {
      method: "POST",
      headers: { authorization: `Basic ${credentials}`, accept: "application/json" },
      body: new URLSearchParams({ token, token_type_hint: "access_token" }),
      signal: AbortSignal.timeout(providerTimeoutMs),
    });
    if (response.ok) return (await response.json()) as Claims;
    throw new ProviderUnavailable(`Introspection answered ${response.status}.`);
  } catch (error) {
    throw error instanceof ProviderUnavailable ? error : new ProviderUnavailable("Introspection failed.");
  }
}
