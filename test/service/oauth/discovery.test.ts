import { expect, test } from "bun:test";
import { register, registerApp, useIdentity } from "../../support/identity/support.ts";

const { config } = await useIdentity();
const { authUrl } = config;
const redirect_uris = ["http://127.0.0.1/cb"];

const hidden = [..."hidden"].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");

/** Names as apps send them, and as people read them. */
const names: [string, string | undefined][] = [
  ["a\u0000\nb", "a b"],
  ["a\u202eb\ud800", "a b"],
  [`Claude${hidden}`, "Claude"],
  ["x".repeat(3_000), "x".repeat(100)],
  ["", undefined],
];

test("both metadata documents say what the provider can do, whatever Host the client sends", async () => {
  for (const document of ["oauth-authorization-server", "openid-configuration"]) {
    const headers = { Host: "evil.example", "X-Forwarded-Host": "evil.example" };
    const response = await fetch(`${authUrl}/.well-known/${document}`, { headers });
    const endpoints = { authorization: "authorize", token: "token", registration: "register" };
    const addresses = Object.entries({ ...endpoints, revocation: "revoke" }).map(([name, path]) => [
      ...[`${name}_endpoint`, `${authUrl}/${path}`],
    ]);
    expect(await response.json()).toMatchObject({
      ...{ issuer: authUrl, jwks_uri: `${authUrl}/jwks`, ...Object.fromEntries(addresses) },
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      scopes_supported: expect.arrayContaining(["habits:read", "categories:write", "openid"]),
    });
  }
});

test("an app registers as a public client, whatever scope it names; empty members count as absent", async () => {
  const empty = { logo_uri: null, client_uri: "", contacts: null, token_endpoint_auth_method: null };
  for (const [sent, client_name] of names) {
    const metadata = { ...empty, redirect_uris, client_name: sent, scope: "habits:read" };
    const answer = await register(config, metadata);
    const body = (await answer.json()) as object;
    expect(answer.status).toBe(201);
    expect(body).toMatchObject({
      redirect_uris,
      token_endpoint_auth_method: "none",
      ...(client_name && { client_name }),
    });
    for (const name of ["client_secret", "scope", "logo_uri"]) expect(body).not.toHaveProperty(name);
    expect(Object.hasOwn(body, "client_name")).toBe(client_name !== undefined);
  }
});

test("an app may be at https, at this machine, or at a scheme of its own", async () => {
  for (const address of ["https://a.example/cb", "http://[::1]/cb", "cursor://a/cb", "com.example.db://a/cb"])
    expect([address, (await register(config, { redirect_uris: [address] })).status]).toEqual([address, 201]);
});

test.each([
  "http://app.example/cb",
  "javascript:alert(1)",
  "nonsense",
  "https://app.example/#x",
  "https://*/cb",
  "https://*.example/cb",
  "https://a;script-src/cb",
  "https://app.example/\u0000",
  "data.x://host/cb",
  "javascript.x:/cb",
  "vbscript+a://host",
  7,
])("no app may be at %p, and the refusal names what is wrong", async (address) => {
  for (const application_type of ["web", "native"]) {
    const refused = await register(config, { redirect_uris: [address], application_type });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toMatch(/"(redirect_uris|client metadata must be printable)/);
  }
});

test.each<[string, Record<string, unknown>]>([
  ...[7, {}].map((client_name): [string, object] => [`name ${JSON.stringify(client_name)}`, { client_name }]),
  ["policy", { policy_uri: "https://app.example/\u0000" }],
  ["4 KB", { redirect_uris: Array.from({ length: 200 }, (_, n) => `https://app.example/callback/${n}`) }],
] as [string, Record<string, unknown>][])("an app with odd metadata is refused: %s", async (_, metadata) => {
  expect((await register(config, { redirect_uris, ...metadata })).status).toBe(400);
});

test("a registration that is no JSON is refused", async () => {
  const headers = { "Content-Type": "application/json" };
  expect((await fetch(`${authUrl}/register`, { method: "POST", headers, body: "{" })).status).toBe(400);
});

test("odd authorization requests never break the server", async () => {
  const base = { client_id: await registerApp(config), response_type: "code", code_challenge_method: "S256" };
  const nul = "\u0000";
  for (const more of [{}, { state: nul }, { client_id: nul }, { scope: nul }, { state: "x".repeat(9_000) }]) {
    const query = new URLSearchParams({ ...base, code_challenge: "x".repeat(43), ...more });
    const response = await fetch(`${authUrl}/authorize?${query}`, { redirect: "manual" });
    expect(response.status).toBeLessThan(500);
  }
});

test("unknown pages are not found, and a page says which methods it takes", async () => {
  for (const path of ["/profile/nowhere", "/sign-in/nowhere", "/session/nowhere", "/nowhere"])
    expect([path, (await fetch(`${authUrl}${path}`)).status]).toEqual([path, 404]);
  const answer = await fetch(`${authUrl}/profile/api-tokens`, { method: "DELETE" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, POST"]);
});
