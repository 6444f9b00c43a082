import { type CryptoKey, createRemoteJWKSet, customFetch, errors, type JWTHeaderParameters } from "jose";
import { isSameAddress } from "../../shared/domain/outside-address.ts";
import type { Config } from "../../shared/process/config.ts";
import type { Claims } from "./claims.ts";

/** The facts of the identity provider that the service needs (RFC 8414, OpenID Connect Discovery). */
export type Provider = Readonly<{
  issuer: string;
  findKey: FindKey;
  introspectionEndpoint: string | undefined;
}>;

/**
 * Finds the key for a token with this header; refetched keys are new objects.
 * @throws ProviderUnavailable when they cannot be fetched; an error of jose when there is no matching key
 */
type FindKey = (header: JWTHeaderParameters) => Promise<CryptoKey>;

/** Thrown while the provider cannot be asked; the caller answers 503, never 401. */
export class ProviderUnavailable extends Error {}

const providerTimeoutMs = 2_000;
export const discoveryMaxAgeMs = 300_000;

/** Finds the provider's endpoints on first use and again every five minutes; a failure is not remembered. */
export function discoverProvider({ authUrl }: Pick<Config, "authUrl">): () => Promise<Provider> {
  return rememberFor(discoveryMaxAgeMs, () => discover(authUrl));
}

async function discover(authUrl: string): Promise<Provider> {
  for (const address of discoveryAddresses(authUrl)) {
    const metadata = await fetchMetadata(address);
    if (typeof metadata?.issuer !== "string" || !isSameAddress(metadata.issuer, authUrl)) continue;
    if (typeof metadata.jwks_uri !== "string") continue;
    const endpoint = metadata.introspection_endpoint;
    return {
      issuer: metadata.issuer,
      findKey: remoteKeys(metadata.jwks_uri),
      introspectionEndpoint: typeof endpoint === "string" ? endpoint : undefined,
    };
  }
  throw new ProviderUnavailable(`No provider metadata of ${authUrl} was found.`);
}

/** RFC 8414 §3.1 puts the well-known part before the issuer's path, OpenID Connect after it. */
function discoveryAddresses(authUrl: string): string[] {
  const { origin, pathname } = new URL(authUrl);
  const path = pathname.replace(/\/+$/, "");
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}

async function fetchMetadata(address: string): Promise<Claims | undefined> {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(providerTimeoutMs) });
    return response.ok ? JSON.parse(await response.text()) : undefined;
  } catch {
    return undefined;
  }
}

const keysEveryMs = 1_000;

/**
 * Finds keys. An unknown key is always looked up, so a new one works at its first use, even after look-ups by
 * strangers. The keys are fetched at most once a second, so a request may have to wait.
 */
function remoteKeys(address: string): FindKey {
  let fetches = 0;
  let notBefore = 0;
  const keys = createRemoteJWKSet(new URL(address), {
    timeoutDuration: providerTimeoutMs,
    cooldownDuration: 0,
    // With the five seconds of the token cache, a removed key is refused within a minute.
    cacheMaxAge: 50_000,
    async [customFetch](url, options) {
      await Bun.sleep(Math.max(0, notBefore - performance.now()));
      fetches += 1;
      notBefore = performance.now() + keysEveryMs;
      return fetch(url, options);
    },
  });
  return async (header) => {
    // The fetch that was under way when the request came may have missed its key: only a later one decides.
    for (const before = fetches; ; ) {
      try {
        return await keys(header);
      } catch (error) {
        if (!isFaultOfToken(error)) throw new ProviderUnavailable("The provider's keys cannot be fetched.");
        if (!(error instanceof errors.JWKSNoMatchingKey) || fetches > before) throw error;
      }
    }
  };
}

const faultsOfToken = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];
const isFaultOfToken = (error: unknown): boolean => faultsOfToken.some((kind) => error instanceof kind);

/** Remembers what `find` resolves to, and asks again when that is `maxAgeMs` old. A failure is not remembered. */
export function rememberFor<Value>(maxAgeMs: number, find: () => Promise<Value>): () => Promise<Value> {
  let known: { value: Promise<Value>; until: number } | undefined;
  return () => {
    if (known && known.until > Date.now()) return known.value;
    const value = find();
    known = { value, until: Date.now() + maxAgeMs };
    value.catch(() => {
      known = undefined;
    });
    return value;
  };
}

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
    const answer: Claims = JSON.parse(await response.text());
    // The only error that is about the token (RFC 7009 §2.2.1). Others, such as a wrong secret, are the service's.
    if (response.ok || answer.error === "unsupported_token_type") return answer;
    throw new ProviderUnavailable(`Introspection answered ${response.status}.`);
  } catch (error) {
    if (error instanceof ProviderUnavailable) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ProviderUnavailable(`Introspection failed: ${reason}`);
  }
}
