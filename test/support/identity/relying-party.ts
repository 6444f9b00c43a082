import * as client from "openid-client";
import type { Config } from "../../../shared/process/config.ts";
import type { Browser } from "./browser.ts";
import { serviceClient } from "./support.ts";

/** The service as a client of the provider. */
export async function relyingParty(config: Config): Promise<client.Configuration> {
  const { id, secret } = await serviceClient(config);
  const options = { execute: [client.allowInsecureRequests] };
  return client.discovery(new URL(config.authUrl), id, undefined, client.ClientSecretBasic(secret), options);
}

/** Signs the person at the browser in to the service by OpenID Connect. */
export async function signInToService(config: Config, browser: Browser) {
  const party = await relyingParty(config);
  const verifier = client.randomPKCECodeVerifier();
  const checks = { expectedState: client.randomState(), expectedNonce: client.randomNonce() };
  const address = client.buildAuthorizationUrl(party, {
    redirect_uri: `${config.baseUrl}/account/callback`,
    scope: "openid email profile",
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state: checks.expectedState,
    nonce: checks.expectedNonce,
  });
  const back = await browser.open(address.href);
  const tokens = await client.authorizationCodeGrant(party, new URL(back.url), {
    pkceCodeVerifier: verifier,
    ...checks,
  });
  const claims = tokens.claims();
  const told = await client.fetchUserInfo(party, tokens.access_token, claims?.sub ?? "");
  return { claims, told, accessToken: tokens.access_token };
}
