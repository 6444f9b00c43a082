import { afterAll, expect, test } from "bun:test";
import { auth } from "@modelcontextprotocol/client";
import { Pool } from "pg";
import { hashedKey } from "../../../api/auth/token-format.ts";
import { prune } from "../../../api/identity/chores.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { type Browser, createBrowser, newAddress } from "../../support/identity/browser.ts";
import { oauthAgent } from "../../support/identity/oauth-agent.ts";
import {
  authorizationRequest,
  connect,
  consent,
  redirectUri,
  register,
  registerApp,
  runIdentity,
  setCount,
  signedUp,
  startTestIdentity,
  tokenRequest,
} from "../../support/identity/support.ts";
import { selfSigned } from "../../support/servers/self-signed.ts";
import { freePort } from "../../support/servers/services.ts";

const tls = await selfSigned();
type Document = Readonly<Record<string, unknown>>;
const answers = new Map<string, (id: string) => Response | Promise<Response>>();
const asked: string[] = [];
const server: Bun.Server<undefined> = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  tls,
  fetch({ url }) {
    const { pathname } = new URL(url);
    asked.push(pathname);
    return answers.get(pathname)?.(`${home}${pathname}`) ?? new Response(null, { status: 404 });
  },
});
const home = `https://localhost:${server.port}`;
const app = {
  client_name: "Document agent",
  redirect_uris: [redirectUri],
  token_endpoint_auth_method: "none",
};

/** Puts a document at a path. Its id is its address, unless it says otherwise. */
function publish(path: string, document: Document = {}): string {
  answers.set(path, (client_id) => Response.json({ client_id, ...app, ...document }));
  return `${home}${path}`;
}

const identity = await startTestIdentity({ WEBHOOK_ALLOW_LOOPBACK: "yes" }, { ca: tls.cert });
const { config } = identity;
afterAll(async () => {
  await identity.stop();
  await server.stop(true);
});

const begin = (browser: Browser, client_id: string, at = config) =>
  browser.open(authorizationRequest(at, { client_id, scope: "todos:read" }).address);

test("an app that names its document signs in unregistered, and consent shows the document's host", async () => {
  const client_id = publish("/app.json");
  const browser = await signedUp(config);
  const { address, verifier } = authorizationRequest(config, { client_id, scope: "todos:read" });
  const page = await browser.open(address);
  expect(page.text).toContain("<strong>Document agent</strong>");
  expect(page.text).toContain(`The name comes from <code>localhost:${server.port}</code>`);
  const code = new URL((await consent(browser, page)).url).searchParams.get("code") ?? "";
  const exchange = { grant_type: "authorization_code", code, redirect_uri: redirectUri, client_id };
  const tokens = await tokenRequest(config, { ...exchange, code_verifier: verifier });
  expect(tokens.scope).toBe("todos:read");
  const client_name = `Document agent (localhost:${server.port})`;
  const told = { active: true, client_id, client_name };
  expect(await identity.introspect(tokens.access_token)).toMatchObject(told);
  const refresh = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id };
  expect((await tokenRequest(config, refresh)).access_token).toBeString();
  expect((await browser.open("/profile/api-tokens")).text).toContain(client_name);
  expect(asked.filter((path) => path === "/app.json")).toHaveLength(1);
});

test.each<[string, Document]>([
  ["with another id", { client_id: "https://app.example/app.json" }],
  ["with another redirect address", { redirect_uris: ["https://app.example/cb"] }],
  ["with a secret", { client_secret: "secret" }],
  ["of more than 5 KiB", { contacts: ["x".repeat(6_000)] }],
  ["with a redirect address without TLS", { redirect_uris: [redirectUri, "http://app.example/"] }],
  [
    "with a redirect address without TLS in capitals",
    { redirect_uris: [redirectUri, "HTTP://app.example/"] },
  ],
])("a document %s is refused", async (_, document) => {
  const path = `/${crypto.randomUUID()}.json`;
  const client_id = publish(path, document);
  const page = await begin(await signedUp(config), client_id);
  expect([page.status, page.text.includes("cannot answer")]).toEqual([400, true]);
  expect(asked).toContain(path);
});

test("an id in capitals is refused: all rules hold for one form of it", async () => {
  const client_id = `${home.replace("https:", "HTTPS:")}/loud.json`;
  publish("/loud.json", { client_id });
  expect((await begin(await signedUp(config), client_id)).text).toContain("normal form");
});

test("an app whose document cannot be read any more stays connected by the copy of its consent", async () => {
  const client_id = publish("/lost.json", { client_name: "Lost\u202e agent" });
  const browser = await signedUp(config);
  let tokens = await connect(config, browser, { clientId: client_id, scope: "todos:read" });
  const stranger = publish("/unread.json");
  for (const answer of [null, "<p>Are you human?</p>"]) {
    for (const path of ["/lost.json", "/unread.json"])
      answers.set(path, () => new Response(answer, { status: answer ? 200 : 403 }));
    const port = freePort();
    const door = await runIdentity({ ...config, port, dataDir: temporaryFolder("door") }, { ca: tls.cert });
    const at = { ...config, authUrl: `http://localhost:${port}` };
    const refresh = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id };
    tokens = await tokenRequest(at, refresh);
    expect(tokens.scope).toBe("todos:read");
    const person = createBrowser(at.authUrl);
    for (const [name, cookie] of browser.cookies) person.cookies.set(name, cookie);
    expect((await begin(person, client_id, at)).text).toContain("<strong>Lost agent</strong>");
    const cause = answer ? /It is no JSON object.*CLIENT_DOCUMENTS=no/s : /status 403.*CLIENT_DOCUMENTS=no/s;
    expect((await begin(person, stranger, at)).text).toMatch(cause);
    await door.stop();
  }
});

test("without documents the metadata offers none, and the official client registers", async () => {
  const plain = await startTestIdentity({ CLIENT_DOCUMENTS: "no" });
  const agent = oauthAgent(await signedUp(plain.config), [["todos:read"]]);
  const provider = { ...agent, clientMetadataUrl: publish("/official.json") };
  expect(await auth(provider, { serverUrl: `${plain.config.baseUrl}/mcp` })).toBe("REDIRECT");
  expect(agent.came().get("code")).toBeString();
  expect(asked).not.toContain("/official.json");
  await plain.stop();
});

test("redirects are not followed, and a slow document is given up", async () => {
  publish("/target.json");
  answers.set("/redirect.json", () => Response.redirect(`${home}/target.json`));
  answers.set("/slow.json", async () => {
    const slowly = async function* () {
      for (;;) {
        yield " ";
        await Bun.sleep(200);
      }
    };
    return new Response(slowly() as never);
  });
  const browser = await signedUp(config);
  for (const path of ["/redirect.json", "/slow.json"])
    expect((await begin(browser, home + path)).status).toBe(400);
  expect(asked).not.toContain("/target.json");
});

test("a private address is never asked", async () => {
  const strict = await startTestIdentity({}, { ca: tls.cert });
  const client_id = publish("/private.json");
  const browser = await signedUp(strict.config);
  for (const id of [client_id, client_id.replace("localhost", "127.0.0.1"), "https://[::1]/x"])
    expect((await begin(browser, id, strict.config)).status).toBe(400);
  expect(asked).not.toContain("/private.json");
  await strict.stop();
});

test("no registered app makes the provider fetch anything", async () => {
  const address = publish("/sector.json");
  const metadata = { redirect_uris: [redirectUri], jwks_uri: address, logo_uri: address };
  for (const more of [{ sector_identifier_uri: address }, { token_endpoint_auth_method: "private_key_jwt" }])
    expect((await register(config, { ...metadata, ...more })).status).toBeLessThan(500);
  expect(asked).not.toContain("/sector.json");
});

test("strangers read no document and use up nobody's registrations; an account reads 60 an hour", async () => {
  const [network, Origin] = [newAddress(), "https://evil.example"];
  const { address } = authorizationRequest(config, { client_id: publish("/strange.json") });
  const { text } = await createBrowser(config.authUrl).open(address);
  expect(text).toContain(`To connect <strong>localhost:${server.port}</strong>`);
  expect(asked).not.toContain("/strange.json");
  await setCount(identity, `registration:${hashedKey(`${network} ${Origin}`)}`, 60);
  expect((await register(config, app, network, { Origin })).status).toBe(429);
  await setCount(identity, `registration-sites:${network}`, 300);
  expect((await register(config, app, network, { Origin: "https://other.example" })).status).toBe(429);
  expect((await register(config, app, network)).status).toBe(201);
  const email = "reader@example.org";
  const browser = await signedUp(config, email);
  const [row] = await identity.sql(`select id from identity.accounts where email = '${email}'`);
  await setCount(identity, `document:${hashedKey(String(row?.id))}`, 59);
  for (const name of ["last", "late"]) await begin(browser, publish(`/${name}.json`));
  expect((await begin(browser, `${home}/late.json`)).text).toContain("Too many were read in this hour.");
  expect(["last", "late"].filter((name) => asked.includes(`/${name}.json`))).toEqual(["last"]);
});

test("a disconnected app comes back for 180 days; then a page says how apps forget their registration", async () => {
  const client_id = await registerApp(config);
  const browser = await signedUp(config);
  const pool = new Pool({ connectionString: config.databaseUrl, max: 1 });
  const textAfter = async (days: number) => {
    await identity.sql(`update identity.clients set used_at = now() - interval '${days} days'`);
    await prune(pool);
    return (await begin(browser, client_id)).text;
  };
  await connect(config, browser, { clientId: client_id, scope: "todos:read" });
  expect(await textAfter(400)).toContain("wants to use");
  await identity.sql(`delete from identity.grants where client_id = '${client_id}'`);
  expect(await textAfter(179)).toContain("wants to use");
  expect(await textAfter(181)).toContain("codex mcp logout kept");
  await pool.end();
});
