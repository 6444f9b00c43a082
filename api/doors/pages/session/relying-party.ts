import * as oidc from "openid-client";
import type { Config } from "../../../../shared/process/config.ts";
import { discoveryMaxAgeMs, rememberFor } from "../../../auth/provider.ts";

/** Finds the provider at which the account pages sign people in (OpenID Connect Core 1.0). */
export type FindProvider = () => Promise<oidc.Configuration>;

const timeoutSeconds = 3;

/** Discovers the provider at the first sign-in and again every five minutes; a failure is not remembered. */
export function createFindProvider(
  { authUrl }: Pick<Config, "authUrl">,
  { id, secret }: NonNullable<Config["authClient"]>,
): FindProvider {
  const extras = [oidc.enableNonRepudiationChecks];
  // An address without TLS is allowed only for a provider on this machine or the operator's private network.
  if (authUrl.startsWith("http:")) extras.push(oidc.allowInsecureRequests);
  const options = { timeout: timeoutSeconds, execute: extras };
  return rememberFor(discoveryMaxAgeMs, () =>
    oidc.discovery(new URL(authUrl), id, undefined, oidc.ClientSecretBasic(secret), options),
  );
}
