import { expect, spyOn, test } from "bun:test";
import { loadConfig } from "../../../shared/process/config.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { freePort, testEnvironment } from "../../harness.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { createBrowser } from "../../support/identity/browser.ts";
import {
  authorizationRequest,
  connect,
  password,
  registerApp,
  runIdentity,
  signIn,
  tokenRequest,
} from "../../support/identity/support.ts";
import { startSite } from "../../support/pages/support.ts";

const servers = await testEnvironment();

/** The tokens of one life of the installation, at addresses that later lead nowhere. */
async function issuedAt(baseUrl: string) {
  const dataDir = temporaryFolder("former");
  const settings = { BASE_URL: baseUrl, PORT: String(freePort()), DATA_DIR: dataDir };
  const former = await runIdentity(loadConfig({ ...servers, ...settings }));
  const here = { ...former.config, authUrl: `http://127.0.0.1:${former.config.port}` };
  const clientId = await registerApp(here);
  const email = `${crypto.randomUUID()}@example.org`;
  const browser = createBrowser(here.authUrl, baseUrl);
  await browser.submit(await browser.open("/sign-up"), "/sign-up", { email, password });
  const app = await connect(here, browser, { clientId, scope: "todos:read todos:write" });
  await former.stop();
  return { owner: former.owner.token, email, clientId, app };
}

const former = await issuedAt("http://former.example");
const unknown = await issuedAt("http://unknown.example");

const port = freePort();
const baseUrl = `http://127.0.0.1:${port}`;
const log = createLog("identity", "silent");
const warn = spyOn(log, "warn");
const { stack, identity } = await startSite(
  {
    ...servers,
    ...{ PORT: String(port), BASE_URL: baseUrl },
    AUTH_AUDIENCE: `${baseUrl},${baseUrl}/mcp,http://former.example,http://former.example/mcp`,
  },
  log,
);

test("personal tokens of a former BASE_URL work by REST and by MCP, also at its host, while AUTH_AUDIENCE has it", async () => {
  const token = former.owner;
  expect((await stack.rest("POST", "/todos", { token, body: { title: "Moved" } })).status).toBe(201);
  const asked = await fetch(`${baseUrl}/mcp`, {
    method: "POST",
    headers: { host: "former.example", authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  expect(await asked.text()).toContain("complete-habit");
});

test("an app that was connected at a former address goes on, also after its token is refreshed", async () => {
  const { clientId: client_id, app } = former;
  expect((await stack.rest("GET", "/todos", { token: app.access_token })).status).toBe(200);
  const params = { grant_type: "refresh_token", client_id, refresh_token: app.refresh_token };
  const fresh = await tokenRequest(identity.config, params);
  expect((await stack.rest("GET", "/todos", { token: fresh.access_token })).status).toBe(200);
  const query = authorizationRequest(identity.config, { client_id, scope: "habits:read" });
  const { browser } = await signIn(identity.config, former.email);
  expect((await browser.open(query.address)).text).toContain('value="todos:write"');
});

test("tokens of an address that AUTH_AUDIENCE lacks are refused, and the provider's start says so", async () => {
  const { app, clientId: client_id } = unknown;
  expect((await stack.rest("GET", "/todos", { token: app.access_token })).status).toBe(401);
  const params = { grant_type: "refresh_token", client_id, refresh_token: app.refresh_token };
  expect(await tokenRequest(identity.config, params)).toMatchObject({ error: "invalid_target" });
  const refused = { connections: 1, former: "http://unknown.example" };
  expect(warn.mock.calls.map(([facts]) => facts)).toEqual([expect.objectContaining(refused)]);
  expect(identity.details.former_address).toBe("http://unknown.example");
});
