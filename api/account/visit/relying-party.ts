import * as oidc from "openid-client";
import type { IdentityClient } from "../../../shared/process/identity-client.ts";

/** The provider, as the account pages sign people in at it (OpenID Connect Core 1.0). */
export type FindProvider = () => Promise<oidc.Configuration>;

const timeoutSeconds = 3;
const maxAgeMs = 300_000;

/** Discovers the provider at the first sign-in and again after five minutes; a failure is not remembered. */
export function createFindProvider(authUrl: string, { id, secret }: IdentityClient): FindProvider {
  let known: { provider: Promise<oidc.Configuration>; until: number } | undefined;
  const extras = [oidc.enableNonRepudiationChecks];
  // Only a provider on this machine, or behind the operator's own wire, has an address without TLS.
  if (authUrl.startsWith("http:")) extras.push(oidc.allowInsecureRequests);

  return () => {
    if (known && known.until > Date.now()) return known.provider;
    const provider = oidc.discovery(new URL(authUrl), id, undefined, oidc.ClientSecretBasic(secret), {
      timeout: timeoutSeconds,
      execute: extras,
    });
    known = { provider, until: Date.now() + maxAgeMs };
    provider.catch(() => {
      known = undefined;
    });
    return provider;
  };
}
