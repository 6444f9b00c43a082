import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { auth } from "@modelcontextprotocol/client";
import { exportJWK, generateKeyPair } from "jose";
import { allScopes } from "../../../shared/contracts/kernel/scopes.ts";
import { callRest, startStack } from "../../harness.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { type Browser, createBrowser } from "../../support/identity/browser.ts";
import { agentOf } from "../../support/identity/oauth-agent.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { freePort } from "../../support/servers/services.ts";

const schema = "/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3";
const program = Bun.which("glewlwyd");

/** Debian's package glewlwyd. */
const hasGlewlwyd = program !== null && existsSync(schema);

type Json = Readonly<Record<string, unknown>>;
type Service = Readonly<{ baseUrl: string; clientId: string; clientSecret: string }>;

/** Glewlwyd as its administrator sets it up for a service, by docs/identity.md, with one account, Ada's. */
async function startGlewlwyd(service: Service) {
  const folder = temporaryFolder("glewlwyd");
  const url = `http://127.0.0.1:${freePort()}`;
  const child = startProgram(folder, url);
  await waitFor(`${url}/config`);
  const admin = await signIn(url, "admin", "password");
  const post = (path: string, body: Json) => send(url, admin, "POST", path, body);
  const own = ["email", "profile", "introspect", ...allScopes];
  for (const name of own) await post("/scope/", { name, display_name: name, password_required: false });
  await post("/mod/plugin/", await openIdPlugin(`${url}/api/oidc`, service.baseUrl));
  await post("/client/", serviceClient(service));
  const scope = ["openid", "email", "profile", ...allScopes];
  const ada = { username: "ada", name: "Ada", email: "ada@example.org", password: "ada's password" };
  await post("/user/", { ...ada, scope, enabled: true });
  return {
    issuer: `${url}/api/oidc`,
    /** A browser in which Ada is signed in and has granted a client's request. */
    async adaWhoGrants(clientId: string, scopes: readonly string[]): Promise<Browser> {
      const cookie = await signIn(url, ada.username, ada.password);
      await send(url, cookie, "PUT", `/auth/grant/${clientId}`, { scope: scopes.join(" ") });
      const browser = createBrowser(url);
      const [name = "", value = ""] = cookie.split("=");
      browser.cookies.set(name, { value, path: "/" });
      // The consent page adds this to the address when the person continues.
      return { ...browser, open: (address) => browser.open(`${address}&g_continue`) };
    },
    async stop(): Promise<void> {
      child.kill();
      await child.exited;
      rmSync(folder, { recursive: true });
    },
  };
}

function startProgram(folder: string, url: string) {
  const path = join(folder, "glewlwyd.db");
  const database = new Database(path);
  database.exec(readFileSync(schema, "utf8"));
  database.close();
  const modules = ["user", "client"].map((kind) => `${kind}_module_path="/usr/lib/glewlwyd/${kind}"`);
  const lines = [
    `port=${new URL(url).port}`,
    `bind_address="127.0.0.1"`,
    `external_url="${url}"`,
    `login_url="login.html"`,
    `api_prefix="api"`,
    `log_mode="console"`,
    `log_level="ERROR"`,
    `cookie_secure=0`,
    `session_key="GLEWLWYD2_SESSION_ID"`,
    `admin_scope="g_admin"`,
    `profile_scope="g_profile"`,
    `hash_algorithm="SHA512"`,
    ...modules,
    `user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"`,
    `plugin_module_path="/usr/lib/glewlwyd/plugin"`,
    `database={ type="sqlite3"; path="${path}"; }`,
  ];
  const settings = join(folder, "glewlwyd.conf");
  writeFileSync(settings, `${lines.join("\n")}\n`);
  return Bun.spawn([program ?? "", `--config-file=${settings}`], { stdio: ["ignore", "inherit", "inherit"] });
}

async function waitFor(address: string): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (await fetch(address).catch(() => undefined)) return;
    await Bun.sleep(25);
  }
  throw new Error(`Nothing answers at ${address}.`);
}

/** @returns the cookie of the session */
async function signIn(url: string, username: string, password: string): Promise<string> {
  const response = await send(url, "", "POST", "/auth/", { username, password });
  return response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

async function send(url: string, cookie: string, method: string, path: string, body: Json) {
  const headers = { cookie, "content-type": "application/json" };
  const response = await fetch(`${url}/api${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
}

async function openIdPlugin(iss: string, baseUrl: string): Promise<Json> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: "key-1", alg: "ES256", use: "sig" };
  const parameters = {
    iss,
    "subject-type": "public",
    "jwks-private": JSON.stringify({ keys: [key] }),
    "jwks-show": true,
    "access-token-duration": 3_600,
    "refresh-token-duration": 86_400,
    "code-duration": 600,
    "allow-non-oidc": true,
    "auth-type-code-enabled": true,
    "auth-type-refresh-enabled": true,
    "pkce-allowed": true,
    "name-claim": "mandatory",
    "email-claim": "mandatory",
    "resource-allowed": true,
    "resource-scope": Object.fromEntries(allScopes.map((scope) => [scope, [`${baseUrl}/mcp`, baseUrl]])),
    "introspection-revocation-allowed": true,
    "introspection-revocation-allow-target-client": true,
    "introspection-revocation-auth-scope": ["introspect"],
    "register-client-allowed": true,
    "register-client-auth-scope": [],
    "register-default-properties": { token_endpoint_auth_method: { value: "client_secret_basic" } },
    "session-management-allowed": true,
    "session-cookie-name": "GLEWLWYD2_OIDC_SID",
    "session-cookie-expiration": 86_400,
  };
  return { module: "oidc", name: "oidc", display_name: "OpenID Connect", enabled: true, parameters };
}

const serviceClient = ({ baseUrl, clientId, clientSecret }: Service): Json => ({
  client_id: clientId,
  name: "Kept",
  client_secret: clientSecret,
  confidential: true,
  enabled: true,
  redirect_uri: [`${baseUrl}/account/callback`],
  post_logout_redirect_uri: `${baseUrl}/account`,
  authorization_type: ["code"],
  token_endpoint_auth_method: ["client_secret_basic"],
});

// Letters and digits only: Glewlwyd does not decode the encoding that RFC 6749 §2.3.1 demands.
const client = { id: "kept", secret: "s".repeat(40) };
const world = hasGlewlwyd ? await startWorld() : undefined;
if (!world) console.warn("SKIPPED: another provider (Debian: apt-get install dbconfig-sqlite3 glewlwyd).");

/** Kept, set up for Glewlwyd by docs/identity.md, and a second Kept without permission to introspect. */
async function startWorld() {
  const port = freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const glewlwyd = await startGlewlwyd({ baseUrl, clientId: client.id, clientSecret: client.secret });
  afterAll(() => glewlwyd.stop());
  const env = { AUTH_URL: glewlwyd.issuer, AUTH_JWT_TYP: "at+jwt", TOKEN_CACHE_SECONDS: "1" };
  const asking = { AUTH_CLIENT_ID: client.id, AUTH_CLIENT_SECRET: client.secret };
  const stack = await startStack({ env: { ...env, ...asking, PORT: String(port), BASE_URL: baseUrl } });
  const without = { AUTH_CLIENT_ID: "", AUTH_CLIENT_SECRET: "", AUTH_AUDIENCE: `${baseUrl}/mcp` };
  const verifying = await startStack({ workers: 0, env: { ...env, ...without } });
  return { glewlwyd, baseUrl, stack, verifying };
}

type World = Awaited<ReturnType<typeof startWorld>>;

const withGlewlwyd = (name: string, run: (world: World) => Promise<void>) =>
  test.skipIf(!world)(`with Glewlwyd, ${name}`, async () => world && run(world));

/** The token of an agent that knows only the address of /mcp, after Ada grants its request. */
async function agentsToken({ glewlwyd, baseUrl }: World, scope: string): Promise<string> {
  const agent = agentOf(async (address) => {
    const clientId = address.searchParams.get("client_id") ?? "";
    const ada = await glewlwyd.adaWhoGrants(clientId, scope.split(" "));
    return ada.open(address.href);
  });
  const serverUrl = `${baseUrl}/mcp`;
  expect(await auth(agent, { serverUrl, scope })).toBe("REDIRECT");
  const authorizationCode = agent.came().get("code") ?? "";
  expect(await auth(agent, { serverUrl, scope, authorizationCode })).toBe("AUTHORIZED");
  return (agent.tokens() as unknown as { access_token: string }).access_token;
}

withGlewlwyd("an agent that knows only /mcp registers, signs in and may do what was granted", async (it) => {
  const token = await agentsToken(it, "todos:read");
  expect((await it.stack.rest("GET", "/todos", { token })).status).toBe(200);
  expect((await it.stack.rest("POST", "/todos", { token, body: { title: "Call" } })).status).toBe(403);
});

withGlewlwyd("the account pages sign in the person whose agent it is, and out at both", async (it) => {
  const token = await agentsToken(it, "todos:read todos:write");
  await it.stack.rest("POST", "/todos", { token, body: { title: "Call Grace" } });
  const pages = createBrowser(it.baseUrl);
  const signIn = await pages.open("/account");
  expect(signIn.url).toStartWith(`${it.glewlwyd.issuer}/auth?`);
  const ada = await it.glewlwyd.adaWhoGrants(client.id, ["openid", "email", "profile"]);
  const today = await pages.open((await ada.open(signIn.url)).url);
  expect(today.url).toBe(`${it.baseUrl}/account`);
  expect(today.text).toContain("Call Grace");
  const settings = await pages.open("/account/settings");
  expect(settings.text).toContain("signed in as ada@example.org");
  const signedOut = await pages.submit(settings, "/account/sign-out", {});
  expect(signedOut.url).toStartWith(`${it.glewlwyd.issuer}/end_session?`);
  expect((await pages.open("/account")).url).toStartWith(it.glewlwyd.issuer);
});

withGlewlwyd("a revoked token is refused once the door asks again, by signatures alone never", async (it) => {
  const token = await agentsToken(it, "todos:read");
  const status = async () => (await it.stack.rest("GET", "/todos", { token })).status;
  const verified = async () => (await callRest(it.verifying.config, "GET", "/todos", { token })).status;
  expect([await status(), await verified()]).toEqual([200, 200]);
  const revoked = await fetch(`${it.glewlwyd.issuer}/revoke`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${client.id}:${client.secret}`)}` },
    body: new URLSearchParams({ token, token_type_hint: "access_token" }),
  });
  expect(revoked.status).toBe(200);
  await eventually(async () => (await status()) === 401);
  expect(await verified()).toBe(200);
});
