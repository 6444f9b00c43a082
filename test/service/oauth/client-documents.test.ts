import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser } from "../../support/identity/browser.ts";
import {
  authorizationRequest,
  consent,
  redirectUri,
  signedUp,
  startTestIdentity,
  type TestIdentity,
  tokenRequest,
} from "../../support/identity/support.ts";
import { selfSigned } from "../../support/servers/self-signed.ts";

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

let identity: TestIdentity;
let strict: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity({ WEBHOOK_ALLOW_LOOPBACK: "yes" }, tls.cert);
  strict = await startTestIdentity({}, tls.cert);
});
afterAll(async () => {
  await identity.stop();
  await strict.stop();
  await server.stop(true);
});

const begin = (browser: Browser, params: Record<string, string>, { config } = identity) =>
  browser.open(authorizationRequest(config, params).address);

test("an app that names its document signs in unregistered, and consent shows the document's host", async () => {
  const client_id = publish("/app.json");
  const browser = await signedUp(identity.config);
  const { address, verifier } = authorizationRequest(identity.config, { client_id, scope: "todos:read" });
  const page = await browser.open(address);
  expect(page.text).toContain("<strong>Document agent</strong>");
  expect(page.text).toContain(`The name comes from <code>localhost:${server.port}</code>`);
  const code = new URL((await consent(browser, page)).url).searchParams.get("code") ?? "";
  const exchange = { grant_type: "authorization_code", code, redirect_uri: redirectUri, client_id };
  const tokens = await tokenRequest(identity.config, { ...exchange, code_verifier: verifier });
  expect(tokens.scope).toBe("todos:read");
  const client_name = `Document agent (localhost:${server.port})`;
  expect(await identity.introspect(tokens.access_token)).toMatchObject({
    active: true,
    client_id,
    client_name,
  });
  const refresh = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id };
  expect((await tokenRequest(identity.config, refresh)).access_token).toBeString();
  expect((await browser.open("/profile/api-tokens")).text).toContain(client_name);
  expect(asked.filter((path) => path === "/app.json")).toHaveLength(1);
  expect(await identity.sql("select from identity.clients")).toEqual([]);
});

test("both metadata documents say that apps may name a document, and that they may register", async () => {
  for (const document of ["oauth-authorization-server", "openid-configuration"]) {
    const response = await fetch(`${identity.config.authUrl}/.well-known/${document}`);
    expect(await response.json()).toMatchObject({
      client_id_metadata_document_supported: true,
      registration_endpoint: expect.any(String),
    });
  }
});

test.each<[string, string, Document]>([
  ["with another id", "/other.json", { client_id: "https://app.example/app.json" }],
  ["with another redirect address", "/moved.json", { redirect_uris: ["https://app.example/cb"] }],
  ["with a secret", "/secret.json", { client_secret: "secret" }],
  ["of more than 5 KiB", "/large.json", { contacts: ["x".repeat(6_000)] }],
  [
    "with a redirect address without TLS",
    "/plain.json",
    { redirect_uris: [redirectUri, "http://app.example/"] },
  ],
  ["with a name of two lines", "/lines.json", { client_name: "a\nb" }],
])("a document %s is refused", async (_, path, document) => {
  const client_id = publish(path, document);
  const page = await begin(await signedUp(identity.config), { client_id, scope: "todos:read" });
  expect([page.status, page.text.includes("cannot answer")]).toEqual([400, true]);
  expect(asked).toContain(path);
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
  const browser = await signedUp(identity.config);
  for (const path of ["/redirect.json", "/slow.json"])
    expect((await begin(browser, { client_id: home + path, scope: "todos:read" })).status).toBe(400);
  expect(asked).not.toContain("/target.json");
});

test("a private address is never asked", async () => {
  const client_id = publish("/private.json");
  const browser = await signedUp(strict.config);
  for (const id of [client_id, client_id.replace("localhost", "127.0.0.1"), "https://[::1]/x"])
    expect((await begin(browser, { client_id: id, scope: "todos:read" }, strict)).status).toBe(400);
  expect(asked).not.toContain("/private.json");
});

test("no registered app makes the provider fetch anything", async () => {
  const metadata = { redirect_uris: [redirectUri], sector_identifier_uri: publish("/sector.json") };
  const response = await fetch(`${identity.config.authUrl}/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(metadata),
  });
  expect(response.status).toBeLessThan(500);
  expect(asked).not.toContain("/sector.json");
});

test("one network makes the provider fetch at most 60 documents an hour", async () => {
  const { authUrl } = identity.config;
  for (let n = 0; n < 61; n++) {
    const { address } = authorizationRequest(identity.config, { client_id: publish(`/many/${n}.json`) });
    await fetch(`${authUrl}${address}`, { redirect: "manual" });
  }
  expect(asked.filter((path) => path.startsWith("/many/")).length).toBeLessThanOrEqual(60);
  const { address } = authorizationRequest(identity.config, { client_id: publish("/late.json") });
  expect((await fetch(`${authUrl}${address}`, { redirect: "manual" })).status).toBe(400);
  expect(asked).not.toContain("/late.json");
});
