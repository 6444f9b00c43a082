import { expect, test } from "bun:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { startStack } from "../harness.ts";

const { rest, issuer, config } = await startStack();
const now = Math.floor(Date.now() / 1000);

const isRefused = async (token: string): Promise<void> => {
  const { status, body, headers } = await rest("GET", "/todos", { token });
  expect([status, body.code]).toEqual([401, "unauthenticated"]);
  expect(headers.get("www-authenticate")).toEndWith(`, error="invalid_token"`);
};

test.each([
  ["another issuer", { iss: "https://elsewhere.example" }],
  ["another audience", { aud: "https://elsewhere.example" }],
  ["no audience", { aud: undefined }],
  ["an expiry that has passed", { exp: now - 60 }],
  ["no expiry", { exp: undefined }],
  ["a start in the future", { nbf: now + 600 }],
  ["no subject", { sub: undefined }],
  ["an empty subject", { sub: "" }],
  ["a numeric subject", { sub: 5 }],
  ["a nonce, as an ID token has", { nonce: "n" }],
  ["an at_hash, as an ID token has", { at_hash: "h" }],
])("a token with %s is refused", async (_, claims) => {
  await isRefused(await issuer.token(claims));
});

test.each([
  ["another type", { typ: "dpop+jwt" }],
  ["an unknown key", { kid: "unknown" }],
  ["an unknown critical header", { crit: ["x"], x: 1 }],
])("a token with %s is refused", async (_, header) => {
  await isRefused(await issuer.token({}, header).catch(() => "a.b.c"));
});

test("tokens that are signed with another key, unsigned, keyed by a public key or damaged are refused", async () => {
  const good = await issuer.token();
  const [header, payload, signature] = good.split(".") as [string, string, string];
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  const foreign = await new SignJWT(claims)
    .setProtectedHeader({ alg: "ES256", kid: "test" })
    .sign(privateKey);
  const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(publicKey)).padEnd(64));
  const symmetric = await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "test" }).sign(secret);
  const none = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${payload}.`;
  const odd = [
    foreign,
    symmetric,
    none,
    `${good}==`,
    `${good}.`,
    `${header}.${payload}`,
    `${header}..${signature}`,
    "x",
    "a.b.c",
  ];
  for (const token of odd) await isRefused(token);
});

test("type, scheme case and plain JWT type are accepted; other schemes are not", async () => {
  for (const typ of ["at+jwt", "application/at+jwt", "JWT"]) {
    expect((await rest("GET", "/todos", { token: await issuer.token({}, { typ }) })).status).toBe(200);
  }
  const authorization = `bearer ${await issuer.token()}`;
  expect((await rest("GET", "/todos", { token: "", headers: { authorization } })).status).toBe(200);
  for (const other of ["Basic eDp5", "Bearer", "Bearer a b"]) {
    expect((await rest("GET", "/todos", { token: "", headers: { authorization: other } })).status).toBe(401);
  }
});

test("either resource of the service is an audience", async () => {
  for (const aud of [config.baseUrl, `${config.baseUrl}/mcp`]) {
    expect((await rest("GET", "/todos", { token: await issuer.token({ aud }) })).status).toBe(200);
  }
});

test("the metadata documents of RFC 9728 name both resources and the provider", async () => {
  for (const [path, resource] of [
    ["", ""],
    ["/mcp", "/mcp"],
  ]) {
    const response = await fetch(`${config.baseUrl}/.well-known/oauth-protected-resource${path}`);
    expect(await response.json()).toMatchObject({
      resource: `${config.baseUrl}${resource}`,
      authorization_servers: [issuer.url],
    });
  }
});

test("a provider that is down is 503 with Retry-After for unknown tokens, while known ones are served", async () => {
  const stack = await startStack({ env: { TOKEN_CACHE_SECONDS: "60" } });
  const known = await stack.issuer.token();
  const unknown = await stack.issuer.token();
  expect((await stack.rest("GET", "/todos", { token: known })).status).toBe(200);
  await stack.issuer.stop();
  expect((await stack.rest("GET", "/todos", { token: known })).status).toBe(200);
  const fresh = await startStack({ env: { AUTH_URL: stack.issuer.url } });
  const away = await fresh.rest("GET", "/todos", { token: unknown });
  expect([away.status, away.body.code, away.headers.get("retry-after")]).toEqual([503, "overloaded", "5"]);
});

test("the newest-issued token's zone counts, an older one never overrides it", async () => {
  const token = (zoneinfo: string, iat: number) => issuer.token({ sub: "zones", zoneinfo, iat });
  const { id } = (
    await rest("POST", "/todos", { body: { title: "x" }, token: await token("Asia/Tokyo", now - 100) })
  ).body;
  const zoneOf = async (bearer: string) => {
    const body = { remind_at: "2099-06-01T09:00" };
    return (await rest("PUT", `/todos/${id}/reminder`, { body, token: bearer })).body.time_zone;
  };
  expect(await zoneOf(await token("Europe/Berlin", now - 50))).toBe("Europe/Berlin");
  expect(await zoneOf(await token("Asia/Tokyo", now - 75))).toBe("Europe/Berlin");
  expect(await zoneOf(await token("Mars/Olympus", now))).toBe("Europe/Berlin");
});
