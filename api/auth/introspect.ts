import type { IdentityClient } from "../../shared/identity-client.ts";
import type { Claims } from "./claims.ts";
import { ProviderUnavailable, providerTimeoutMs } from "./provider.ts";

/**
 * Asks the provider about a token (RFC 7662).
 * @returns undefined when it is not active, or not meant for this service; `unsupported` when the provider does
 * not introspect tokens of this kind
 * @throws ProviderUnavailable when the provider gives no usable answer
 */
export async function introspect(
  token: string,
  endpoint: string,
  client: IdentityClient,
  audience: readonly string[],
): Promise<Claims | "unsupported" | undefined> {
  const answer = await ask(token, endpoint, client);
  if (answer.error === "unsupported_token_type") return "unsupported";
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
    const answer = (await response.json()) as Claims;
    // The one error that speaks of the token (RFC 7009 §2.2.1); others, such as a wrong secret, are our own.
    if (response.ok || answer.error === "unsupported_token_type") return answer;
    throw new ProviderUnavailable(`Introspection answered ${response.status}.`);
  } catch (error) {
    throw error instanceof ProviderUnavailable ? error : new ProviderUnavailable("Introspection failed.");
  }
}
