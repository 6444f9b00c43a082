import * as client from "openid-client";
import type { Config } from "../../../shared/process/config.ts";
import type { Browser } from "./browser.ts";
import { consent, redirectUri, register } from "./support.ts";

/** Registers an app with a secret, which may send people to `back` after a sign-out. */
export async function registerParty(
  config: Pick<Config, "authUrl">,
  redirect: string,
  back: string,
): Promise<{ client_id: string; client_secret: string }> {
  const answer = await register(config, {
    client_name: "A service",
    redirect_uris: [redirect],
    post_logout_redirect_uris: [back],
    token_endpoint_auth_method: "client_secret_basic",
  });
  return (await answer.json()) as { client_id: string; client_secret: string };
}

/** Another service as a client of the provider. */
export async function relyingParty(config: Config): Promise<client.Configuration> {
  const { client_id, client_secret } = await registerParty(config, redirectUri, `${config.baseUrl}/account`);
  const options = { execute: [client.allowInsecureRequests] };
  const authentication = client.ClientSecretBasic(client_secret);
  return client.discovery(new URL(config.authUrl), client_id, undefined, authentication, options);
}

/** Signs the person at the browser in to another service by OpenID Connect. */
export async function signInElsewhere(config: Config, browser: Browser) {
  const party = await relyingParty(config);
  const verifier = client.randomPKCECodeVerifier();
  const checks = { expectedState: client.randomState(), expectedNonce: client.randomNonce() };
  const address = client.buildAuthorizationUrl(party, {
    redirect_uri: redirectUri,
    scope: "openid email profile",
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state: checks.expectedState,
    nonce: checks.expectedNonce,
  });
  const back = await consent(browser, await browser.open(address.href));
  const tokens = await client.authorizationCodeGrant(party, new URL(back.url), {
    pkceCodeVerifier: verifier,
    ...checks,
  });
  const claims = tokens.claims();
  const told = await client.fetchUserInfo(party, tokens.access_token, claims?.sub ?? "");
  return { claims, told, accessToken: tokens.access_token };
}
