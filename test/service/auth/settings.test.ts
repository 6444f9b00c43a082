import { expect, test } from "bun:test";
import { clientNetwork } from "../../../api/http/request.ts";
import { loadCommonConfig } from "../../../shared/process/config.ts";

test("the client's secret at the provider may have any length", () => {
  const client = (env: Record<string, string>) =>
    loadCommonConfig({ AUTH_CLIENT_ID: "kept", ...env }).authClient;
  expect(client({ AUTH_CLIENT_SECRET: "a" })).toEqual({ id: "kept", secret: "a" });
  expect(client({})).toEqual({ id: "kept", secret: "" });
});

test("a misspelt setting, and an address or level that cannot be used, are named", () => {
  const load = (env: Record<string, string>) => () => loadCommonConfig(env);
  expect(load({ RATE_LIMT_PER_MINUTE: "5" })).toThrow("Did you mean RATE_LIMIT_PER_MINUTE?");
  expect(load({ SIGNUP: "closed" })).toThrow("There is no setting SIGNUP. Did you mean SIGN_UP?");
  for (const BASE_URL of ["https://example.org/kept", "https://example.org/?kept"])
    expect(load({ BASE_URL })).toThrow("BASE_URL must be an address without a path");
  expect(load({ DATABASE_URL: "kept" })).toThrow(
    "DATABASE_URL must be an address that begins with postgres://",
  );
  expect(load({ SMTP_URL: "foo" })).toThrow("SMTP_URL must be");
  expect(load({ LOG_LEVEL: "verbose" })).toThrow("LOG_LEVEL must be one of");
  expect(load({ AUTH_JWT_TYP: "JWT" })).toThrow("AUTH_JWT_TYP must be one of");
  expect([loadCommonConfig({}), loadCommonConfig({ AUTH_JWT_TYP: "at+jwt" })]).toMatchObject([
    { authJwtTyp: "any" },
    { authJwtTyp: "at+jwt" },
  ]);
  expect(
    load({ POSTGRES_PASSWORD: "x", HOSTNAME: "kept", HOSTS: "", PORTS: "", DATA_DIR: "/srv/kept" }),
  ).not.toThrow();
});

test("the built-in provider answers at BASE_URL, unless AUTH_URL names another", () => {
  const BASE_URL = "https://kept.example.org/";
  expect(loadCommonConfig({ BASE_URL })).toMatchObject({
    authUrl: "https://kept.example.org",
    builtInIdentity: true,
  });
  const other = { BASE_URL, AUTH_URL: "https://other.example.org" };
  expect(loadCommonConfig(other)).toMatchObject({
    authUrl: "https://other.example.org",
    builtInIdentity: false,
  });
});

test("a token has 60 requests and 600 calls a minute unless the settings say otherwise", () => {
  expect(loadCommonConfig({})).toMatchObject({ rateLimitPerMinute: 60, mcpRateLimitPerMinute: 600 });
});

test("a contact for vulnerabilities is an address that can be opened", () => {
  const given = (SECURITY_CONTACT: string) => loadCommonConfig({ SECURITY_CONTACT }).securityContact;
  expect(given("mailto:security@example.org")).toBe("mailto:security@example.org");
  for (const wrong of ["security@example.org", "http://example.org", "https://"])
    expect(() => given(wrong)).toThrow("SECURITY_CONTACT must be");
});

test("X-Forwarded-For is believed from a trusted proxy only", () => {
  const headers = new Headers({ "x-forwarded-for": "203.0.113.9" });
  const seenThrough = (TRUSTED_PROXIES?: string) =>
    clientNetwork(loadCommonConfig({ TRUSTED_PROXIES }).trustedProxies, headers, "127.0.0.1");
  expect(seenThrough()).toBe("203.0.113.9");
  expect(seenThrough("127.0.0.1, 2001:db8::/32")).toBe("203.0.113.9");
  expect(seenThrough("10.0.0.0/8,::1")).toBe("127.0.0.1");
  expect(() => loadCommonConfig({ TRUSTED_PROXIES: "proxy.example" })).toThrow(
    "TRUSTED_PROXIES must be networks",
  );
});

test("by default the networks of machines and containers are trusted, the world is not", () => {
  const { trustedProxies } = loadCommonConfig({});
  const trusts = (address: string) => trustedProxies.check(address, address.includes(":") ? "ipv6" : "ipv4");
  expect(["127.0.0.1", "172.18.0.1", "192.168.1.2", "::1", "fd00::1"].filter(trusts)).toHaveLength(5);
  expect(["8.8.8.8", "172.32.0.1", "2001:db8::1"].filter(trusts)).toEqual([]);
});
