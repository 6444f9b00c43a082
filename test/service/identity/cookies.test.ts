import { expect, test } from "bun:test";
import { sealedCookie } from "../../../api/doors/pages/session/sealed-cookie.ts";
import { authorizationRequest, registerApp, startTestIdentity } from "../../support/identity/support.ts";

/** The attributes of a cookie in Set-Cookie, in lower case and without its value. */
function attributesOf(lines: readonly string[], name: string): string[] {
  const line = lines.find((one) => one.startsWith(`${name}=`)) ?? "";
  return line.toLowerCase().split("; ").slice(1);
}

test("with https the provider's cookies are its host's own, and every answer keeps browsers on https", async () => {
  const identity = await startTestIdentity({ AUTH_URL: "https://id.example" });
  const here = `http://localhost:${identity.config.identityPort}`;
  const signIn = await fetch(`${here}/sign-in`);
  const browser = attributesOf(signIn.headers.getSetCookie(), "__Host-kept_browser");
  expect(browser).toEqual(expect.arrayContaining(["path=/", "secure", "httponly"]));
  expect(browser.join()).not.toContain("domain");

  const client_id = await registerApp({ ...identity.config, authUrl: here });
  const { address } = authorizationRequest(identity.config, { client_id });
  const asked = await fetch(`${here}${address}`, { redirect: "manual" });
  expect(attributesOf(asked.headers.getSetCookie(), "__Secure-kept_interaction")).toContain("secure");
  for (const path of [
    "/sign-in",
    "/jwks",
    "/.well-known/openid-configuration",
    "/token",
    "/nothing",
    "/health/live",
    "/metrics",
  ]) {
    const { headers } = await fetch(`${here}${path}`);
    expect([path, headers.get("strict-transport-security")]).toEqual([path, "max-age=31536000"]);
    expect([path, headers.get("x-content-type-options")]).toEqual([path, "nosniff"]);
  }
  await identity.stop();
});

test("so has the session of the account pages", async () => {
  const options = { name: "kept_account", key: [new Uint8Array(32)] as const, lifetimeSeconds: 60 };
  const secure = sealedCookie<{ sub: string }>({ ...options, secure: true });
  const line = await secure.seal({ sub: "ada" });
  expect(attributesOf([line], "__Host-kept_account")).toEqual(expect.arrayContaining(["path=/", "secure"]));
  const cookie = line.split(";")[0] ?? "";
  expect((await secure.open(new Request("https://kept.example/account", { headers: { cookie } })))?.sub).toBe(
    "ada",
  );
  const plain = sealedCookie<{ sub: string }>({ ...options, secure: false });
  expect(attributesOf([await plain.seal({ sub: "ada" })], "kept_account")).toContain("path=/account");
});
