import { expect, test } from "bun:test";
import { startStack } from "../../harness.ts";

const { rest, issuer, config } = await startStack();
const now = Math.floor(Date.now() / 1000);

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

test("a new key works at its first use; a token of the key before it is then refused", async () => {
  const stack = await startStack({ env: { TOKEN_CACHE_SECONDS: "0" } });
  const before = await stack.issuer.token();
  expect((await stack.rest("GET", "/todos", { token: before })).status).toBe(200);
  await Bun.sleep(1_100); // keys are looked for again at most once a second
  await stack.issuer.rotate();
  expect((await stack.rest("GET", "/todos", { token: await stack.issuer.token() })).status).toBe(200);
  expect((await stack.rest("GET", "/todos", { token: before })).status).toBe(401);
});

test("AUTH_JWT_TYP=at+jwt accepts RFC 9068 tokens only", async () => {
  const stack = await startStack({ env: { AUTH_JWT_TYP: "at+jwt" } });
  const statusOf = async (typ: string | undefined) =>
    (await stack.rest("GET", "/todos", { token: await stack.issuer.token({}, { typ }) })).status;
  expect([await statusOf("at+jwt"), await statusOf("JWT"), await statusOf(undefined)]).toEqual([
    200, 401, 401,
  ]);
});
