import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "../../support/identity/browser.ts";
import {
  authorizationRequest,
  connect,
  consent,
  redirectUri,
  registerApp,
  signedUp,
  startTestIdentity,
  type TestIdentity,
  tokenRequest,
} from "../../support/identity/support.ts";

let identity: TestIdentity;
let browser: Browser;
let clientId: string;
beforeAll(async () => {
  identity = await startTestIdentity();
  browser = await signedUp(identity.config);
  clientId = await registerApp(identity.config);
});
afterAll(() => identity.stop());

const isActive = async (token: string) => (await identity.introspect(token)).active;
const refresh = (refresh_token: string) =>
  tokenRequest(identity.config, { grant_type: "refresh_token", client_id: clientId, refresh_token });
const answerOf = (address: string) => Object.fromEntries(new URL(address).searchParams);

test("an app gets a token with the scopes that were ticked, and no others", async () => {
  const scope = "habits:read habits:write todos:read";
  const tokens = await connect(identity.config, browser, { clientId, scope, ticked: ["habits:read"] });
  expect(tokens.scope).toBe("habits:read");
  expect(await identity.introspect(tokens.access_token)).toMatchObject({
    active: true,
    scope: "habits:read",
    aud: `${identity.config.baseUrl}/mcp`,
    iss: identity.config.authUrl,
    client_id: clientId,
    client_name: "Test agent",
    zoneinfo: "UTC",
    token_type: "Bearer",
    sub: expect.any(String),
    jti: expect.any(String),
    exp: expect.any(Number),
    iat: expect.any(Number),
  });
});

test("a step-up asks for the union of what the app has and what it wants", async () => {
  const person = await signedUp(identity.config);
  const first = await connect(identity.config, person, { clientId, scope: "habits:read" });
  const second = await connect(identity.config, person, { clientId, scope: "todos:write" });
  expect(second.scope).toBe("habits:read todos:write");
  const [before, after] = [
    await identity.introspect(first.access_token),
    await identity.introspect(second.access_token),
  ];
  expect(before).toMatchObject({ active: true, scope: "habits:read" });
  expect(after.jti).toBe(before.jti);
});

test("unticking a scope later takes it from the tokens that are out", async () => {
  const person = await signedUp(identity.config);
  const wide = await connect(identity.config, person, { clientId, scope: "habits:read habits:write" });
  await connect(identity.config, person, { clientId, scope: "habits:read", ticked: ["habits:read"] });
  expect(await isActive(wide.access_token)).toBe(false);
  expect((await refresh(wide.refresh_token)).scope).toBe("habits:read");
});

test("nothing ticked is asked again, and Cancel tells the app so", async () => {
  const { address } = authorizationRequest(identity.config, { client_id: clientId, scope: "todos:read" });
  const again = await consent(browser, await browser.open(address), []);
  expect(again).toMatchObject({ status: 422, text: expect.stringContaining("Tick at least one") });
  const back = await browser.submit(again, new URL(again.url).pathname, { answer: "deny" });
  expect(answerOf(back.url)).toMatchObject({
    error: "access_denied",
    state: "s",
    iss: identity.config.authUrl,
  });
});

test("a refresh token works once: its second use ends the connection", async () => {
  const first = await connect(identity.config, browser, { clientId, scope: "habits:read" });
  const second = await refresh(first.refresh_token);
  expect(await isActive(second.access_token)).toBe(true);
  await identity.sql("update identity.artifacts set consumed_at = consumed_at - interval '6 seconds'");
  expect((await refresh(first.refresh_token)).error).toBe("invalid_grant");
  expect(await isActive(second.access_token)).toBe(false);
  expect((await refresh(second.refresh_token)).error).toBe("invalid_grant");
});

test("of refreshes at the same moment one succeeds, and the connection stays", async () => {
  const { refresh_token } = await connect(identity.config, browser, { clientId, scope: "habits:read" });
  const answers = await Promise.all([1, 2, 3, 4].map(() => refresh(refresh_token)));
  const [winner, ...others] = answers.filter((answer) => answer.access_token);
  expect(others).toBeEmpty();
  expect(await isActive(winner?.access_token ?? "")).toBe(true);
});

test("a code works once, and its second use takes the tokens back", async () => {
  const { address, verifier } = authorizationRequest(identity.config, {
    client_id: clientId,
    scope: "todos:read",
  });
  const back = await consent(browser, await browser.open(address));
  const exchange = {
    grant_type: "authorization_code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code: answerOf(back.url).code ?? "",
    code_verifier: verifier,
  };
  const tokens = await tokenRequest(identity.config, exchange);
  expect(await isActive(tokens.access_token)).toBe(true);
  expect((await tokenRequest(identity.config, exchange)).error).toBe("invalid_grant");
  expect(await isActive(tokens.access_token)).toBe(false);
});

test("a revoked token is inactive at once", async () => {
  const { access_token } = await connect(identity.config, browser, { clientId, scope: "habits:read" });
  const body = new URLSearchParams({ token: access_token, client_id: clientId });
  const response = await fetch(`${identity.config.authUrl}/revoke`, { method: "POST", body });
  expect(response.status).toBe(200);
  expect(await isActive(access_token)).toBe(false);
});

test("PKCE with S256 is required", async () => {
  const request = { client_id: clientId, scope: "habits:read" };
  for (const odd of [{ code_challenge_method: "plain" }, { code_challenge: "" }]) {
    const { address } = authorizationRequest(identity.config, { ...request, ...odd });
    expect(answerOf((await browser.open(address)).url).error).toBe("invalid_request");
  }
});

test("a redirect address may differ in its loopback port only", async () => {
  const request = { client_id: clientId, scope: "habits:read" };
  for (const address of ["http://127.0.0.1:1234/elsewhere", "https://evil.example/callback"]) {
    const odd = authorizationRequest(identity.config, { ...request, redirect_uri: address });
    const page = await browser.open(odd.address);
    expect(page).toMatchObject({ status: 400, text: expect.stringContaining("redirect_uri") });
  }
});

test("a token for somebody else's resource is refused", async () => {
  const { address } = authorizationRequest(identity.config, {
    client_id: clientId,
    scope: "habits:read",
    resource: "https://other.example/mcp",
  });
  expect(answerOf((await browser.open(address)).url).error).toBe("invalid_target");
});

test("a request without resource and scope is for MCP and asks for all scopes but that of webhooks", async () => {
  const { config } = identity;
  const { address } = authorizationRequest(config, { client_id: clientId });
  const url = new URL(address, config.authUrl);
  url.searchParams.delete("resource");
  const page = await browser.open(`${url.pathname}${url.search}`);
  expect(page.text.match(/name="scope"/g)).toHaveLength(6);
  expect(page.text).not.toContain("webhooks:write");
  expect(page.text).toContain("tools for AI agents");
});

test("the consent page may only send its answer home, to the service or to the app", async () => {
  const { address } = authorizationRequest(identity.config, { client_id: clientId, scope: "habits:read" });
  const { headers } = await browser.open(address);
  expect(headers.get("content-security-policy")).toContain(
    `form-action 'self' ${identity.config.baseUrl} http://127.0.0.1:49152;`,
  );
});
