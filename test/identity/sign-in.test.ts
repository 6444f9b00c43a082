import { afterAll, beforeAll, expect, test } from "bun:test";
import * as client from "openid-client";
import { relyingParty, signInToService } from "./relying-party.ts";
import { signedUp, startTestIdentity, type TestIdentity } from "./support.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity({ DEFAULT_TIME_ZONE: "Europe/Berlin" });
});
afterAll(() => identity.stop());

test("the service signs a person in by OpenID Connect without asking for consent", async () => {
  const browser = await signedUp(identity.config, "ada@example.org");
  const { claims, told, accessToken } = await signInToService(identity.config, browser);
  expect(claims).toMatchObject({ email: "ada@example.org", zoneinfo: "Europe/Berlin" });
  expect(told.email).toBe("ada@example.org");
  expect(await identity.introspect(accessToken)).toEqual({ active: false });
});

test("the service's own sign-in is not listed as a connected app", async () => {
  const browser = await signedUp(identity.config);
  expect((await browser.open("/profile/api-tokens")).text).toContain("No app is connected");
});

test("signing out at the provider asks first and leads back to the service", async () => {
  const party = await relyingParty(identity.config);
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
