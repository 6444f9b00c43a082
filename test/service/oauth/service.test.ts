import { expect, test } from "bun:test";
import { createRevocation } from "../../../api/auth/revocation.ts";
import { freePort } from "../../harness.ts";
import { type Browser, createBrowser, type Page } from "../../support/identity/browser.ts";
import { password, serviceClient } from "../../support/identity/support.ts";
import { startSite } from "../../support/pages/support.ts";

/** A name that leads nowhere, like a public one from inside a network of containers. */
const outside = "https://id.kept.invalid";
const identityPort = freePort();
const inside = `http://127.0.0.1:${identityPort}`;
const { stack, identity } = await startSite({
  IDENTITY_URL: outside,
  IDENTITY_INTERNAL_URL: inside,
  IDENTITY_PORT: String(identityPort),
});

test("a front door checks and ends tokens at the provider's inner address", async () => {
  const { token } = identity.owner;
  expect((await stack.rest("GET", "/todos", { token })).status).toBe(200);
  // The provider does not introspect what looks like a structured token.
  const parts = ['{"alg":"none"}', '{"sub":"ada"}', ""];
  const structured = parts.map((part) => Buffer.from(part).toString("base64url")).join(".");
  for (const odd of ["of-nobody", structured])
    expect((await stack.rest("GET", "/todos", { token: odd })).status).toBe(401);
  const revokeToken = createRevocation(stack.config, await serviceClient(stack.config), () => {});
  expect(await revokeToken?.({ userId: "nobody", tokenId: "none" })).toBe(true);
});

test("a person signs in at the outer address, and the front door redeems the code at the inner one", async () => {
  const browser = createBrowser(inside, outside);
  const signUp = await browser.open("/sign-up");
  await browser.submit(signUp, "/sign-up", { email: "ada@example.org", password });
  const begun = await fetch(`${stack.config.baseUrl}/account/sign-in?next=/account`, { redirect: "manual" });
  const location = begun.headers.get("location") ?? "";
  expect(location).toStartWith(`${outside}/authorize?`);
  const { url } = await follow(browser, location);
  expect(url).toStartWith(stack.config.baseUrl);
  const cookie = begun.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const ended = await fetch(url, { headers: { cookie }, redirect: "manual" });
  expect([ended.status, ended.headers.get("location")]).toEqual([303, "/account"]);
});

/** Opens an address and every outer one to which it leads, like the proxy at the outer address. */
async function follow(browser: Browser, address: string): Promise<Page> {
  const { pathname, search } = new URL(address);
  const page = await browser.open(`${pathname}${search}`);
  return page.url.startsWith(outside) ? follow(browser, page.url) : page;
}

test("the service and the provider serve the same icon", async () => {
  const icons = [stack.config.baseUrl, inside].map(async (site) => {
    const { status, headers } = await fetch(`${site}/favicon.svg`);
    return { status, policy: headers.get("content-security-policy"), type: headers.get("content-type") };
  });
  const [service, provider] = await Promise.all(icons);
  expect(service).toMatchObject({ status: 200, type: "image/svg+xml" });
  expect(provider).toEqual(service);
});
