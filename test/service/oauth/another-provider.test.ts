import { afterAll, expect, test } from "bun:test";
import { auth } from "@modelcontextprotocol/client";
import { callRest, freePort, startStack } from "../../harness.ts";
import { createBrowser } from "../../support/identity/browser.ts";
import { agentOf } from "../../support/identity/oauth-agent.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { hasGlewlwyd, startGlewlwyd } from "../../support/servers/glewlwyd.ts";

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
