import { expect, test } from "bun:test";
import { createBrowser, newAddress } from "../../support/identity/browser.ts";
import {
  authorizationRequest,
  consent,
  registerApp,
  signedUp,
  useIdentity,
} from "../../support/identity/support.ts";

const { config, sql, owner } = await useIdentity();

const stored = async () => (await sql("select from identity.artifacts")).length;
const ask = (address: string, init: RequestInit = {}) => {
  const headers = { "X-Forwarded-For": newAddress(), ...init.headers };
  return fetch(`${config.authUrl}${address}`, { redirect: "manual", ...init, headers });
};
const asks = (params: Record<string, string>) => authorizationRequest(config, params).address;

test("a long authorization request stores nothing", async () => {
  const client_id = await registerApp(config);
  const before = await stored();
  const long = { state: "x".repeat(1_025) };
  const many = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`p${n}`, "x".repeat(500)]));
  for (const more of [long, { nonce: "x".repeat(10_000) }, many]) {
    const address = asks({ client_id, ...more });
    expect((await ask(address)).status).toBe(414);
    const body = new URLSearchParams(address.split("?")[1]);
    body.set("state", "x".repeat(5_000));
    expect((await ask("/authorize", { method: "POST", body })).status).toBe(414);
  }
  expect(await stored()).toBe(before);
});

test("strangers begin as many sign-ins as they like, store nothing and keep nobody from another", async () => {
  const client_id = await registerApp(config);
  const before = await stored();
  const address = asks({ client_id });
  const headers = { "X-Forwarded-For": newAddress() };
  const statuses = new Set<number>();
  // More than a network may register apps.
  for (let begun = 0; begun < 70; begun++) statuses.add((await ask(address, { headers })).status);
  expect([...statuses]).toEqual([303]);
  expect(await stored()).toBe(before);
  const browser = createBrowser(config.authUrl, undefined, {}, headers["X-Forwarded-For"]);
  const page = await browser.open(`${address}&prompt=login+consent`);
  expect(page.text).toContain("To connect <strong>Test agent");
  expect(page.text).not.toContain("prompt=login");
  const { email, password } = owner;
  expect((await browser.submit(page, "/sign-in", { email, password })).text).toContain("wants to use");
});

test("a sign-in opens its form to no address but those of the app", async () => {
  const client_id = await registerApp(config);
  const targets = async (redirect_uri: string) => {
    const page = await ask(`/sign-in?${new URLSearchParams({ next: asks({ client_id, redirect_uri }) })}`);
    return page.headers.get("content-security-policy")?.match(/form-action ([^;]*)/)?.[1];
  };
  expect(await targets("http://127.0.0.1/callback")).toContain("http://127.0.0.1");
  expect(await targets("https://evil.example/callback")).not.toContain("evil");
});

test("a form that is too long is refused, and the provider serves on", async () => {
  const body = new URLSearchParams({ email: "x".repeat(100_000) });
  for (let n = 0; n < 3; n++) {
    const answer = await ask("/sign-in", { method: "POST", body });
    expect(answer.status).toBe(413);
    expect(await answer.text()).toContain("not be larger than 64 KiB");
  }
  expect((await ask("/health/live")).status).toBe(200);
});

test("signing out where nobody is signed in stores nothing", async () => {
  const before = await stored();
  for (const query of ["", "?client_id=kept"]) expect((await ask(`/session/end${query}`)).status).toBe(200);
  expect(await stored()).toBe(before);
});

test("the errors of a stranger's request stay here instead of going to an address that anybody registered", async () => {
  const redirect_uri = "https://evil.example/phish";
  const client_id = await registerApp(config, { redirect_uris: [redirect_uri] });
  const browser = await signedUp(config);
  for (const odd of [{ response_type: "foo" }, { prompt: "none" }, { code_challenge: "" }]) {
    const address = asks({ client_id, redirect_uri, ...odd });
    const answer = await ask(address);
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
    expect(await answer.text()).toContain("Nothing was shared");
    expect((await browser.open(address)).url).toStartWith(`${redirect_uri}?error=`);
  }
});

test("an app that registered as a web application asks for consent every time", async () => {
  const redirect_uri = "https://app.example/callback";
  const metadata = { redirect_uris: [redirect_uri], application_type: "web" };
  const params = { client_id: await registerApp(config, metadata), redirect_uri, scope: "habits:read" };
  const browser = await signedUp(config);
  await consent(browser, await browser.open(asks(params)), ["habits:read"]);
  expect((await browser.open(asks(params))).text).toContain("wants to use");
  const silent = await browser.open(asks({ ...params, prompt: "none" }));
  expect(silent.url).toContain("error=interaction_required");
});

test("the consent page names a host only where the answer goes to one", async () => {
  const browser = await signedUp(config);
  const screen = async (redirect_uri: string) => {
    const metadata = { client_name: "Claude", redirect_uris: [redirect_uri] };
    const client_id = await registerApp(config, metadata);
    return (await browser.open(asks({ client_id, redirect_uri }))).text.replace(/\s+/g, " ");
  };
  const app = await screen("com.evil.app://claude.ai/api/mcp/auth_callback");
  expect(app).toContain("the app on this device that owns <code>com.evil.app:</code>");
  expect(app).not.toContain("<code>claude.ai");
  expect(await screen("https://app.example/cb")).toContain("Your answer goes to <code>app.example</code>");
});
