import { afterAll, expect, test } from "bun:test";
import { type Browser, newAddress } from "../../support/identity/browser.ts";
import {
  authorizationRequest,
  consent,
  redirectUri,
  register,
  setCount,
  signedUp,
  startTestIdentity,
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
  expect(await identity.sql("select from identity.clients")).toEqual([]);
});

test.each<[string, Document]>([
  ["with another id", { client_id: "https://app.example/app.json" }],
  ["with another redirect address", { redirect_uris: ["https://app.example/cb"] }],
  ["with a secret", { client_secret: "secret" }],
  ["of more than 5 KiB", { contacts: ["x".repeat(6_000)] }],
  ["with a redirect address without TLS", { redirect_uris: [redirectUri, "http://app.example/"] }],
  ["with a name of two lines", { client_name: "a\nb" }],
])("a document %s is refused", async (_, document) => {
  const path = `/${crypto.randomUUID()}.json`;
  const client_id = publish(path, document);
  const page = await begin(await signedUp(config), client_id);
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
  const metadata = { redirect_uris: [redirectUri], sector_identifier_uri: publish("/sector.json") };
  expect((await register(config, metadata)).status).toBeLessThan(500);
  expect(asked).not.toContain("/sector.json");
});

test("one network makes the provider fetch at most 60 documents an hour", async () => {
  const headers = { "X-Forwarded-For": newAddress() };
  const ask = (path: string) => {
    const { address } = authorizationRequest(config, { client_id: publish(path) });
    return fetch(`${config.authUrl}${address}`, { redirect: "manual", headers });
  };
  await ask("/first.json");
  await setCount(identity, `registration:${headers["X-Forwarded-For"]}`, 59);
  for (const name of ["last", "late"]) await ask(`/${name}.json`);
  expect((await ask("/late.json")).status).toBe(400);
  const names = ["first", "last", "late"];
  expect(names.filter((name) => asked.includes(`/${name}.json`))).toEqual(["first", "last"]);
});
