import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestIdentity, type TestIdentity } from "../../support/identity/support.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity();
});
afterAll(() => identity.stop());

async function register(metadata: Record<string, unknown>) {
  const response = await fetch(`${identity.config.authUrl}/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(metadata),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test("both metadata documents say what the provider can do, whatever Host the client sends", async () => {
  const { authUrl } = identity.config;
  for (const document of ["oauth-authorization-server", "openid-configuration"]) {
    const headers = { Host: "evil.example", "X-Forwarded-Host": "evil.example" };
    const response = await fetch(`${authUrl}/.well-known/${document}`, { headers });
    expect(await response.json()).toMatchObject({
      issuer: authUrl,
      authorization_endpoint: `${authUrl}/authorize`,
      token_endpoint: `${authUrl}/token`,
      registration_endpoint: `${authUrl}/register`,
      introspection_endpoint: `${authUrl}/introspect`,
      revocation_endpoint: `${authUrl}/revoke`,
      jwks_uri: `${authUrl}/jwks`,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      scopes_supported: expect.arrayContaining(["habits:read", "categories:write", "openid"]),
    });
  }
});

test("an app registers as a public client, whatever scope it names", async () => {
  const redirect_uris = ["http://localhost:3333/callback"];
  const { status, body } = await register({ client_name: "Agent", redirect_uris, scope: "habits:read" });
  expect(status).toBe(201);
  expect(body).toMatchObject({ client_name: "Agent", redirect_uris, token_endpoint_auth_method: "none" });
  expect(body).not.toHaveProperty("client_secret");
  expect(body).not.toHaveProperty("scope");
});

test("redirect addresses are https, loopback or an app's own scheme", async () => {
  for (const fine of ["https://app.example/cb", "http://[::1]/cb", "cursor://anysphere/cb"]) {
    expect((await register({ redirect_uris: [fine] })).status).toBe(201);
  }
  for (const odd of [
    "http://app.example/cb",
    "javascript:alert(1)",
    "nonsense",
    "https://app.example/#x",
    "https://*/cb",
    "https://*.example/cb",
    "https://a;script-src/cb",
    7,
  ]) {
    for (const application_type of ["web", "native"]) {
      expect((await register({ redirect_uris: [odd], application_type })).status).toBe(400);
    }
  }
});

test("odd registrations are refused as such", async () => {
  const redirect_uris = ["http://127.0.0.1/cb"];
  const odd = ["a\u0000b", "\ud800", "a\u202eb", "x".repeat(101), "", 7, {}];
  for (const client_name of odd) {
    expect((await register({ redirect_uris, client_name })).status).toBe(400);
  }
  const unstorable = "https://app.example/\u0000";
  expect((await register({ redirect_uris: [unstorable] })).status).toBe(400);
  expect((await register({ redirect_uris, policy_uri: unstorable })).status).toBe(400);
  const response = await fetch(`${identity.config.authUrl}/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{",
  });
  expect(response.status).toBe(400);
});

test("registering makes the provider call nobody", async () => {
  let calls = 0;
  const stranger = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(String(calls++)) });
  const address = stranger.url.href;
  const metadata = { redirect_uris: ["https://app.example/cb"], jwks_uri: address, logo_uri: address };
  await register({ ...metadata, sector_identifier_uri: address.replace("http:", "https:") });
  await register({ ...metadata, token_endpoint_auth_method: "private_key_jwt" });
  await stranger.stop(true);
  expect(calls).toBe(0);
});

test("odd authorization requests never break the server", async () => {
  const redirect_uris = ["http://127.0.0.1/cb"];
  const { body } = await register({ redirect_uris });
  const base = { client_id: String(body.client_id), response_type: "code", code_challenge_method: "S256" };
  const odd = [
    {},
    { state: "\u0000" },
    { client_id: "\u0000" },
    { scope: "\u0000" },
    { state: "x".repeat(9_000) },
  ];
  for (const more of odd) {
    const query = new URLSearchParams({ ...base, code_challenge: "x".repeat(43), ...more });
    const response = await fetch(`${identity.config.authUrl}/authorize?${query}`, { redirect: "manual" });
    expect(response.status).toBeLessThan(500);
  }
});

test("the process tells its health to all and its metrics to this machine, and unknown pages are not found", async () => {
  const { authUrl } = identity.config;
  for (const check of ["live", "ready", "accepting"]) {
    const { status, headers } = await fetch(`${authUrl}/health/${check}`);
    expect([check, status, headers.get("cache-control")]).toEqual([check, 200, "no-store"]);
  }
  const metrics = await fetch(`${authUrl}/metrics`);
  expect(await metrics.text()).toContain("process_cpu_seconds_total");
  for (const headers of [{ host: "rebind.example" }, { "x-forwarded-for": "203.0.113.7" }])
    expect((await fetch(`${authUrl}/metrics`, { headers })).status).toBe(404);
  expect((await fetch(`${authUrl}/nowhere`)).status).toBe(404);
  const answer = await fetch(`${authUrl}/profile/api-tokens`, { method: "DELETE" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, POST"]);
});
