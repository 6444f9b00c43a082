import { afterAll, beforeAll, expect, test } from "bun:test";
import { createBrowser } from "../../support/identity/browser.ts";
import {
  authorizationRequest,
  registerApp,
  signedUp,
  startTestIdentity,
  type TestIdentity,
} from "../../support/identity/support.ts";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity();
});
afterAll(() => identity.stop());

const stored = async () => (await identity.sql("select from identity.artifacts")).length;
const ask = (address: string, init: RequestInit = {}) =>
  fetch(`${identity.config.authUrl}${address}`, { redirect: "manual", ...init });

test("a long authorization request stores nothing", async () => {
  const client_id = await registerApp(identity.config);
  const before = await stored();
  const long = { state: "x".repeat(1_025) };
  const many = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`p${n}`, "x".repeat(500)]));
  for (const more of [long, { nonce: "x".repeat(10_000) }, many]) {
    const { address } = authorizationRequest(identity.config, { client_id, ...more });
    expect((await ask(address)).status).toBe(414);
    const body = new URLSearchParams(address.split("?")[1]);
    body.set("state", "x".repeat(5_000));
    expect((await ask("/authorize", { method: "POST", body })).status).toBe(414);
  }
  expect(await stored()).toBe(before);
});

test("strangers begin as many sign-ins as they like, store nothing and keep nobody from another", async () => {
  const client_id = await registerApp(identity.config);
  const before = await stored();
  const { address } = authorizationRequest(identity.config, { client_id });
  const statuses: number[] = [];
  for (let begun = 0; begun < 310; begun++) statuses.push((await ask(address)).status);
  expect([...new Set(statuses)]).toEqual([303]);
  expect(await stored()).toBe(before);
  const browser = createBrowser(identity.config.authUrl);
  const page = await browser.open(`${address}&prompt=login+consent`);
  expect(page.text).toContain("To connect <strong>Test agent");
  expect(page.text).not.toContain("prompt=login");
  const { email, password } = identity.owner;
  expect((await browser.submit(page, "/sign-in", { email, password })).text).toContain("wants to use");
});

test("a sign-in opens its form to no address but those of the app", async () => {
  const client_id = await registerApp(identity.config);
  const targets = async (redirect_uri: string) => {
    const { address } = authorizationRequest(identity.config, { client_id, redirect_uri });
    const page = await ask(`/sign-in?${new URLSearchParams({ next: address })}`);
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
    expect(await answer.text()).toContain("too much text");
  }
  expect((await ask("/health/live")).status).toBe(200);
});

test("signing out where nobody is signed in stores nothing", async () => {
  const before = await stored();
  expect((await ask("/session/end")).status).toBe(200);
  expect((await ask("/session/end?client_id=kept")).status).toBe(200);
  expect(await stored()).toBe(before);
});

test("a registration of more than 4 KB is refused", async () => {
  const redirect_uris = Array.from({ length: 200 }, (_, n) => `https://app.example/callback/${n}`);
  const body = JSON.stringify({ redirect_uris });
  const headers = { "Content-Type": "application/json" };
  expect((await ask("/register", { method: "POST", headers, body })).status).toBe(400);
});

test("the errors of a stranger's request stay here instead of going to an address that anybody registered", async () => {
  const client_id = await registerApp(identity.config, { redirect_uris: ["https://evil.example/phish"] });
  const redirect_uri = "https://evil.example/phish";
  for (const odd of [{ response_type: "foo" }, { prompt: "none" }, { code_challenge: "" }]) {
    const { address } = authorizationRequest(identity.config, { client_id, redirect_uri, ...odd });
    const answer = await ask(address);
    expect(answer.headers.get("location")).toBeNull();
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("Nothing was shared");
    const browser = await signedUp(identity.config);
    expect((await browser.open(address)).url).toStartWith(`${redirect_uri}?error=`);
  }
});

test("an app that registered as a web application asks for consent every time", async () => {
  const redirect_uris = ["https://app.example/callback"];
  const client_id = await registerApp(identity.config, { redirect_uris, application_type: "web" });
  const params = { client_id, redirect_uri: "https://app.example/callback", scope: "habits:read" };
  const browser = await signedUp(identity.config);
  const { address } = authorizationRequest(identity.config, params);
  const page = await browser.open(address);
  await browser.submit(page, new URL(page.url).pathname, { answer: "allow", scope: ["habits:read"] });
  expect((await browser.open(address)).text).toContain("wants to use");
  const silent = authorizationRequest(identity.config, { ...params, prompt: "none" });
  expect((await browser.open(silent.address)).url).toContain("error=interaction_required");
});

test("the consent page names a host only where the answer goes to one", async () => {
  const browser = await signedUp(identity.config);
  const screen = async (redirect_uri: string) => {
    const client_id = await registerApp(identity.config, {
      client_name: "Claude",
      redirect_uris: [redirect_uri],
    });
    const { address } = authorizationRequest(identity.config, { client_id, redirect_uri });
    return (await browser.open(address)).text.replace(/\s+/g, " ");
  };
  const app = await screen("com.evil.app://claude.ai/api/mcp/auth_callback");
  expect(app).toContain("the app on this device that owns <code>com.evil.app:</code>");
  expect(app).not.toContain("<code>claude.ai");
  expect(await screen("https://app.example/cb")).toContain("Your answer goes to <code>app.example</code>");
});

test("an app's name is one line without hidden characters, its scheme none that browsers know", async () => {
  const register = async (metadata: object) => {
    const body = JSON.stringify({ redirect_uris: ["http://127.0.0.1/cb"], ...metadata });
    const headers = { "Content-Type": "application/json" };
    return (await ask("/register", { method: "POST", headers, body })).status;
  };
  const tags = [..."hidden"].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");
  expect(await register({ client_name: `Claude${tags}` })).toBe(400);
  for (const address of ["data.x://host/cb", "javascript.x:/cb", "vbscript+a://host"]) {
    expect(await register({ redirect_uris: [address] })).toBe(400);
  }
  expect(await register({ redirect_uris: ["com.example.database://host/cb"] })).toBe(201);
});
