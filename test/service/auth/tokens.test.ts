import { expect, test } from "bun:test";
import { toolScopes } from "../../../api/doors/mcp/tools.ts";
import { allScopes } from "../../../shared/contracts/kernel/scopes.ts";
import { startStack, useStack } from "../../harness.ts";

const { rest, issuer, config } = await useStack();
const now = Math.floor(Date.now() / 1000);
const statusOf = async (token: string, headers = {}) =>
  (await rest("GET", "/todos", { token, headers })).status;

test("the scheme's case does not count, and other schemes are refused", async () => {
  const token = await issuer.token();
  expect(await statusOf("", { authorization: `bearer ${token}` })).toBe(200);
  for (const other of ["Basic eDp5", "Bearer", "Bearer a b"])
    expect(await statusOf("", { authorization: other })).toBe(401);
});

test("either resource of the service is an audience, and its metadata of RFC 9728 names it and the provider", async () => {
  for (const path of ["", "/mcp"]) {
    const resource = `${config.baseUrl}${path}`;
    expect(await statusOf(await issuer.token({ aud: resource }))).toBe(200);
    const document = await fetch(`${config.baseUrl}/.well-known/oauth-protected-resource${path}`);
    const scopes_supported = path ? toolScopes : allScopes;
    const named = { resource, authorization_servers: [issuer.url], scopes_supported };
    expect(await document.json()).toMatchObject(named);
  }
});

test("a provider that is down is 503 with Retry-After", async () => {
  const stack = await startStack({ workers: 0, env: { AUTH_URL: "http://127.0.0.1:9" } });
  const away = await stack.rest("GET", "/todos");
  expect([away.status, away.body.code, away.headers.get("retry-after")]).toEqual([503, "overloaded", "5"]);
});

/** The zone that a new reminder of the user has. */
async function zoneOf(token: string): Promise<string> {
  const { body } = await rest("POST", "/todos", { token, body: { title: "x" } });
  const remind = { token, body: { remind_at: "2099-06-01T09:00" } };
  return (await rest("PUT", `/todos/${body.id}/reminder`, remind)).body.time_zone;
}

test("the newest-issued token's zone counts, an older one never overrides it", async () => {
  const sub = crypto.randomUUID();
  const zones: string[] = [];
  for (const [zoneinfo, age] of [
    ["Asia/Tokyo", 100],
    ["Europe/Berlin", 50],
    ["Asia/Tokyo", 75],
    ["Mars/Olympus", 0],
  ] as const)
    zones.push(await zoneOf(await issuer.token({ sub, zoneinfo, iat: now - age })));
  expect(zones).toEqual(["Asia/Tokyo", "Europe/Berlin", "Europe/Berlin", "Europe/Berlin"]);
});

test.each([
  ["a year 3,170,000", "1e14", "UTC"],
  ["the second after the year 9999", "253402300800", "UTC"],
  ["next year", String(now + 365 * 86_400), "UTC"],
  ["before 1970", "-1", "UTC"],
  ["far before Christ", "-1e14", "UTC"],
  ["more than any number", "1e400", "UTC"],
  ["a fraction of a second", `${now - 5}.0000001`, "Asia/Tokyo"],
  ["nearly nothing", "5e-324", "Asia/Tokyo"],
])("a token issued in %s works, and its zone counts only when it can be ordered", async (_, iat, zone) => {
  const claims = { ...issuer.claims(), sub: crypto.randomUUID(), zoneinfo: "Asia/Tokyo", iat: "IAT" };
  const token = await issuer.sign(JSON.stringify(claims).replace('"IAT"', iat));
  const neighbour = await issuer.token({ sub: crypto.randomUUID(), zoneinfo: "Europe/Berlin" });
  expect(await Promise.all([zoneOf(token), zoneOf(neighbour)])).toEqual([zone, "Europe/Berlin"]);
});
