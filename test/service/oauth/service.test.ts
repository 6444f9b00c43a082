import { afterAll, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, startStack } from "../../harness.ts";
import { connect, registerApp, runIdentity, signedUp } from "../../support/identity/support.ts";

// Registered before the stack's own, so that it runs first: the provider uses the stack's database.
afterAll(() => identity.stop());
const dataDir = await mkdtemp(join(tmpdir(), "kept-identity-"));
const env = { AUTH_URL: "", IDENTITY_PORT: String(freePort()), DATA_DIR: dataDir, TOKEN_CACHE_SECONDS: "1" };
const stack = await startStack({ env });
const identity = await runIdentity(stack.config);

test("the owner's token opens the service, until it is revoked", async () => {
  const { token } = identity.owner;
  expect((await stack.rest("POST", "/todos", { token, body: { title: "Water the plants" } })).status).toBe(
    201,
  );
  const { jti } = await identity.introspect(token);
  await identity.sql(`delete from identity.grants where id = '${jti}'`);
  await Bun.sleep(1_100);
  expect((await stack.rest("GET", "/todos", { token })).status).toBe(401);
});

test("what looks like a structured token, which the provider does not introspect, is refused", async () => {
  const odd = ['{"alg":"none"}', '{"sub":"ada"}'].map((part) => Buffer.from(part).toString("base64url"));
  expect((await stack.rest("GET", "/todos", { token: `${odd.join(".")}.` })).status).toBe(401);
});

test("an app may do what was ticked and is refused the rest", async () => {
  const browser = await signedUp(identity.config);
  const clientId = await registerApp(identity.config);
  const scope = "todos:read todos:write";
  const ticked = ["todos:read"];
  const { access_token: token } = await connect(identity.config, browser, { clientId, scope, ticked });
  expect((await stack.rest("GET", "/todos", { token })).status).toBe(200);
  expect((await stack.rest("POST", "/todos", { token, body: { title: "No" } })).status).toBe(403);
});

test("the service and the provider serve the same icon", async () => {
  const icons = [stack.config.baseUrl, stack.config.authUrl].map(async (site) => {
    const { status, headers } = await fetch(`${site}/favicon.svg`);
    return { status, policy: headers.get("content-security-policy"), type: headers.get("content-type") };
  });
  const [service, provider] = await Promise.all(icons);
  expect(service).toMatchObject({ status: 200, type: "image/svg+xml" });
  expect(provider).toEqual(service);
});
