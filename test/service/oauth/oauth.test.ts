import { expect, test } from "bun:test";
import {
  authorizationRequest,
  connect,
  consent,
  redirectUri,
  registerApp,
  signedUp,
  tokenRequest,
  useIdentity,
} from "../../support/identity/support.ts";

const identity = await useIdentity();
const { config, owner, introspect } = identity;
const browser = await signedUp(config);
const clientId = await registerApp(config);

const usual = "habits:read habits:write todos:read todos:write categories:read categories:write";

const isActive = async (token: string) => (await introspect(token)).active;
const connectFor = (scope: string, person = browser, ticked?: string[]) =>
  connect(config, person, { clientId, scope, ...(ticked && { ticked }) });
const refresh = (refresh_token: string) =>
  tokenRequest(config, { grant_type: "refresh_token", client_id: clientId, refresh_token });
const answerOf = (address: string) => Object.fromEntries(new URL(address).searchParams);
const request = (params: Record<string, string> = {}) =>
  authorizationRequest(config, { client_id: clientId, scope: "habits:read", ...params });
const post = (path: string, fields: Record<string, string>) =>
  fetch(`${config.authUrl}${path}`, { method: "POST", body: new URLSearchParams(fields) });

test("an app gets a token with the scopes that were ticked, and no others", async () => {
  const tokens = await connectFor("habits:read habits:write todos:read", browser, ["habits:read"]);
  expect(tokens.scope).toBe("habits:read");
  expect(await introspect(tokens.access_token)).toMatchObject({
    active: true,
    scope: "habits:read",
    aud: `${config.baseUrl}/mcp`,
    client_id: clientId,
    client_name: "Test agent",
    zoneinfo: "UTC",
    sub: expect.any(String),
    jti: expect.any(String),
    exp: expect.any(Number),
    iat: expect.any(Number),
  });
});

test("a step-up asks for the union of what the app has and what it wants", async () => {
  const person = await signedUp(config);
  const asked = "habits:read webhooks:write";
  expect((await connectFor(asked, person)).scope).toBe("habits:read");
  const first = await connectFor(asked, person, asked.split(" "));
  const second = await connectFor("todos:write", person);
  expect(second.scope).toBe("habits:read todos:write webhooks:write");
  const [before, after] = [await introspect(first.access_token), await introspect(second.access_token)];
  expect(before).toMatchObject({ active: true, scope: asked });
  expect(after.jti).toBe(before.jti);
});

test("unticking a scope later takes it from the tokens that are out", async () => {
  const person = await signedUp(config);
  const wide = await connectFor("habits:read habits:write", person);
  await connectFor("habits:read", person, ["habits:read"]);
  expect(await isActive(wide.access_token)).toBe(false);
  expect((await refresh(wide.refresh_token)).scope).toBe("habits:read");
});

test("nothing ticked is asked again, and Cancel tells the app so", async () => {
  const again = await consent(browser, await browser.open(request({ scope: "todos:read" }).address), []);
  expect(again).toMatchObject({ status: 422, text: expect.stringContaining("Tick at least one") });
  const back = await browser.submit(again, new URL(again.url).pathname, { answer: "deny" });
  expect(answerOf(back.url)).toMatchObject({ error: "access_denied", state: "s", iss: config.authUrl });
});

test("a refresh token comes again for 120 seconds; later its repeat ends the connection", async () => {
  const first = await connectFor("habits:read");
  const age = (seconds: number) =>
    identity.sql(`update identity.artifacts set consumed_at = now() - interval '${seconds} seconds'
      where consumed_at is not null`);
  const second = await refresh(first.refresh_token);
  await age(110);
  const third = await refresh(first.refresh_token);
  for (const { access_token } of [second, third]) expect(await isActive(access_token)).toBe(true);
  await age(121);
  for (const { refresh_token } of [first, second, third])
    expect((await refresh(refresh_token)).error).toBe("invalid_grant");
  for (const { access_token } of [second, third]) expect(await isActive(access_token)).toBe(false);
});

test("an app that refreshes with all that it asked for gets what was ticked", async () => {
  const { refresh_token } = await connectFor(`${usual} offline_access`, browser, ["habits:read"]);
  const again = { grant_type: "refresh_token", client_id: clientId, refresh_token };
  const { scope } = await tokenRequest(config, { ...again, scope: `${usual} offline_access mcp` });
  expect(scope).toBe("habits:read");
});

test("an app that names no resource gets a token for the tools", async () => {
  const { address, verifier } = request({ scope: "openid email profile", resource: "" });
  const { code = "" } = answerOf((await consent(browser, await browser.open(address))).url);
  const exchange = { grant_type: "authorization_code", client_id: clientId, redirect_uri: redirectUri };
  const { access_token } = await tokenRequest(config, { ...exchange, code, code_verifier: verifier });
  expect(await introspect(access_token)).toMatchObject({ scope: usual, aud: `${config.baseUrl}/mcp` });
});

test("a code works once, and its second use takes the tokens back", async () => {
  const { address, verifier } = request({ scope: "todos:read" });
  const { code = "" } = answerOf((await consent(browser, await browser.open(address))).url);
  const exchange = { grant_type: "authorization_code", client_id: clientId, redirect_uri: redirectUri };
  const tokensFor = () => tokenRequest(config, { ...exchange, code, code_verifier: verifier });
  const { access_token } = await tokensFor();
  expect(await isActive(access_token)).toBe(true);
  expect((await tokensFor()).error).toBe("invalid_grant");
  expect(await isActive(access_token)).toBe(false);
});

test("a revoked token is inactive at once", async () => {
  const { access_token } = await connectFor("habits:read");
  expect((await post("/revoke", { token: access_token, client_id: clientId })).status).toBe(200);
  expect(await isActive(access_token)).toBe(false);
});

test.each([
  ["without S256", { code_challenge_method: "plain" }, "invalid_request"],
  ["without a challenge", { code_challenge: "" }, "invalid_request"],
  ["for somebody else's resource", { resource: "https://other.example/mcp" }, "invalid_target"],
])("a request %s is refused", async (_, params, error) => {
  expect(answerOf((await browser.open(request(params).address)).url).error).toBe(error);
});

test("a redirect address may differ in its loopback port only", async () => {
  for (const redirect_uri of ["http://127.0.0.1:1234/elsewhere", "https://evil.example/callback"]) {
    const page = await browser.open(request({ redirect_uri }).address);
    expect(page).toMatchObject({ status: 400, text: expect.stringContaining("redirect_uri") });
  }
});

test.each([
  ["unknown ones are dropped", { scope: " todos:read  mcp:tools" }, "todos:read"],
  ["none, nor a resource, means the usual ones", { scope: "", resource: "" }, usual],
  ["none known means the usual ones", { scope: "mcp offline mail.read" }, usual],
  ["offline_access alone is no sign-in", { scope: "offline_access", resource: "" }, usual],
  ["those of a sign-in ask nothing of a resource", { scope: "openid email" }, usual],
  ["nor without a resource, if the app has no secret", { scope: "openid email", resource: "" }, usual],
  [
    "a slash after the resource changes nothing",
    { scope: "todos:read", resource: `${config.baseUrl}/mcp/` },
    "todos:read",
  ],
  ["that of webhooks starts without a tick", { scope: "todos:read webhooks:write" }, "todos:read"],
])("scopes of a request: %s", async (_, params, ticked) => {
  const { forms, text } = await (await signedUp(config)).open(request(params).address);
  expect(text).toContain("tools for AI agents");
  const { fields } = forms.find(({ action }) => action.startsWith("/interaction/")) ?? { fields: [] };
  expect(fields.flatMap(([name, value]) => (name === "scope" ? [value] : [])).join(" ")).toBe(ticked);
});

test("the consent page may only send its answer home or to the app", async () => {
  const { headers } = await browser.open(request().address);
  expect(headers.get("content-security-policy")).toContain("form-action 'self' http://127.0.0.1:49152;");
});

test("a refresh token, a made-up one and an empty one open nothing", async () => {
  const { refresh_token } = await connectFor("habits:read");
  for (const token of [refresh_token, "x".repeat(43), ""])
    expect(await introspect(token)).toEqual({ active: false });
});

test("the first start makes an owner whose token has all scopes, and stores no token that could be used", async () => {
  expect(owner.email).toBe("owner@localhost");
  const file = Bun.file(`${config.dataDir}/owner-token`);
  expect((await file.text()).trim()).toBe(owner.token);
  expect((await file.stat()).mode & 0o777).toBe(0o600);
  expect(await introspect(owner.token)).toMatchObject({
    active: true,
    client_name: "Owner's first token",
    client_id: "personal-access-tokens",
    scope: "habits:read habits:write todos:read todos:write categories:read categories:write webhooks:write",
  });
  const rows = await identity.sql("select * from identity.artifacts where kind = 'AccessToken'");
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(owner.token);
});
