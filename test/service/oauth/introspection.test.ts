import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  connect,
  registerApp,
  serviceClient,
  signedUp,
  startTestIdentity,
  type TestIdentity,
} from "../../support/identity/support.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity();
});
afterAll(() => identity.stop());

const inactive = { active: false };

async function ask(token: string, headers: Record<string, string>, more: Record<string, string> = {}) {
  const body = new URLSearchParams({ token, ...more });
  return fetch(`${identity.config.authUrl}/introspect`, { method: "POST", headers, body });
}

test("only the service may introspect", async () => {
  const { token } = identity.owner;
  expect((await ask(token, {})).status).toBeGreaterThanOrEqual(400);
  expect((await ask(token, { Authorization: `Basic ${btoa("kept:guess")}` })).status).toBe(401);
  const stranger = await registerApp(identity.config);
  expect(await (await ask(token, {}, { client_id: stranger })).json()).toEqual(inactive);
});

test("a refresh token, a made-up one and an empty one open nothing", async () => {
  const browser = await signedUp(identity.config);
  const clientId = await registerApp(identity.config);
  const { refresh_token } = await connect(identity.config, browser, { clientId, scope: "habits:read" });
  expect(await identity.introspect(refresh_token)).toEqual(inactive);
  expect(await identity.introspect("x".repeat(43))).toEqual(inactive);
  const { id, secret } = await serviceClient(identity.config);
  expect((await ask("", { Authorization: `Basic ${btoa(`${id}:${secret}`)}` })).status).toBe(400);
});

test("the database holds no token that could be used", async () => {
  const rows = await identity.sql("select * from identity.artifacts where kind = 'AccessToken'");
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(identity.owner.token);
});

test("the first start makes an owner whose token has all scopes, later starts make none", async () => {
  const { token, email } = identity.owner;
  expect(email).toBe("owner@localhost");
  const file = Bun.file(`${identity.config.dataDir}/owner-token`);
  expect((await file.text()).trim()).toBe(token);
  expect((await file.stat()).mode & 0o777).toBe(0o600);
  expect(await identity.introspect(token)).toMatchObject({
    active: true,
    client_name: "Owner's first token",
    client_id: "personal-access-tokens",
    scope: "habits:read habits:write todos:read todos:write categories:read categories:write webhooks:write",
  });
});
