import { afterAll, beforeAll, expect, test } from "bun:test";
import * as client from "openid-client";
import { identityClient } from "../../shared/identity-client.ts";
import { signedUp, startTestIdentity, type TestIdentity } from "./support.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity({ DEFAULT_TIME_ZONE: "Europe/Berlin" });
});
afterAll(() => identity.stop());

async function relyingParty(): Promise<client.Configuration> {
  const { id, secret } = await identityClient(identity.config);
  const options = { execute: [client.allowInsecureRequests] };
  const issuer = new URL(identity.config.authUrl);
  return client.discovery(issuer, id, undefined, client.ClientSecretBasic(secret), options);
}

test("the service signs a person in by OpenID Connect without asking for consent", async () => {
  const party = await relyingParty();
  const browser = await signedUp(identity.config, "ada@example.org");
  const verifier = client.randomPKCECodeVerifier();
  const checks = { expectedState: client.randomState(), expectedNonce: client.randomNonce() };
  const address = client.buildAuthorizationUrl(party, {
    redirect_uri: `${identity.config.baseUrl}/account/callback`,
    scope: "openid email profile",
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state: checks.expectedState,
    nonce: checks.expectedNonce,
  });
  const back = await browser.open(address.href);
  expect(back.url).toStartWith(`${identity.config.baseUrl}/account/callback?`);

  const tokens = await client.authorizationCodeGrant(party, new URL(back.url), {
    pkceCodeVerifier: verifier,
    ...checks,
  });
  const claims = tokens.claims();
  expect(claims).toMatchObject({ email: "ada@example.org", zoneinfo: "Europe/Berlin" });
  const told = await client.fetchUserInfo(party, tokens.access_token, claims?.sub ?? "");
  expect(told.email).toBe("ada@example.org");
  expect(await identity.introspect(tokens.access_token)).toEqual({ active: false });
});

test("the service's own sign-in is not listed as a connected app", async () => {
  const browser = await signedUp(identity.config);
  expect((await browser.open("/profile/api-tokens")).text).toContain("No app is connected");
});

test("signing out at the provider asks first and leads back to the service", async () => {
  const party = await relyingParty();
  const browser = await signedUp(identity.config);
  const address = client.buildEndSessionUrl(party, {
    client_id: party.clientMetadata().client_id,
    post_logout_redirect_uri: `${identity.config.baseUrl}/account`,
  });
  const page = await browser.open(address.href);
  expect(page.text).toContain("Sign out?");
  const action = page.forms[0]?.action ?? "";
  const back = await browser.submit(page, action, { logout: "yes" });
  expect(back.url).toStartWith(`${identity.config.baseUrl}/account`);
  expect((await browser.open("/profile")).url).toContain("/sign-in");
});
