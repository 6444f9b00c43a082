import { afterAll, expect, test } from "bun:test";
import { sealedCookie } from "../../../api/doors/pages/session/sealed-cookie.ts";
import type { KeyRing } from "../../../api/web/key-ring.ts";
import { freePort, startStack } from "../../harness.ts";
import { type Browser, cookieOf, createBrowser } from "../../support/identity/browser.ts";
import { registerParty } from "../../support/identity/relying-party.ts";
import { consent, signedUp, startTestIdentity } from "../../support/identity/support.ts";
import { pagesKeysOf } from "../../support/pages/live-support.ts";
import { withPool } from "../../support/signed.ts";

/** Kept, whose people sign in at another provider: a second Kept, which asks them whether it may tell who they are. */
const provider = await startTestIdentity();
afterAll(provider.stop);
const { authUrl } = provider.config;
const port = freePort();
const baseUrl = `http://127.0.0.1:${port}`;
const party = await registerParty(provider.config, `${baseUrl}/account/callback`, `${baseUrl}/account`);
const stack = await startStack({
  env: {
    ...{ PORT: String(port), BASE_URL: baseUrl, AUTH_URL: authUrl },
    ...{ AUTH_CLIENT_ID: party.client_id, AUTH_CLIENT_SECRET: party.client_secret },
  },
});

/** One browser stands for each site, because this kind keeps to one. */
async function signIn(person: Browser, path = "/account", account = createBrowser(baseUrl)) {
  const away = await account.open(path);
  const back = await consent(person, await person.open(away.url));
  return { account, away: away.url, back: back.url, page: await account.open(back.url) };
}

const newPerson = async () => signIn(await signedUp(provider.config));

const get = (path: string, cookie = "") =>
  fetch(`${baseUrl}${path}`, { headers: { cookie }, redirect: "manual" });

test("a stranger signs in at the provider and ends on the page that was asked for", async () => {
  const path = "/account/actions?tool=create-todo";
  const { away, page } = await signIn(await signedUp(provider.config), path);
  expect(away).toStartWith(`${authUrl}/authorize?`);
  expect(new URL(away).searchParams.get("code_challenge_method")).toBe("S256");
  expect(page).toMatchObject({ status: 200, url: `${baseUrl}${path}` });
});

test("the session is a cookie that neither scripts nor other sites can use", async () => {
  const account = createBrowser(baseUrl);
  const person = await signedUp(provider.config);
  const back = await consent(person, await person.open((await account.open("/account")).url));
  const answer = await get(back.url.slice(baseUrl.length), cookieOf(account));
  const session = answer.headers.getSetCookie().find((line) => line.startsWith("kept_account="));
  for (const attribute of ["HttpOnly", "SameSite=Lax", "Path=/account", "Max-Age=43200"])
    expect(session).toContain(attribute);
});

test("a session that is forged, changed, of another key or expired is none", async () => {
  const { account } = await newPerson();
  const real = account.cookies.get("kept_account")?.value ?? "";
  const keys = await pagesKeysOf(stack.config);
  const seal = async (session: KeyRing<Uint8Array>, lifetimeSeconds: number) => {
    const cookie = sealedCookie({ ...stack, keys: { ...keys, session } }, "session", lifetimeSeconds);
    const [pair = ""] = (await cookie.seal({ sub: "ada", sid: "1", generation: 0 })).split(";");
    return pair.slice("kept_account=".length);
  };
  const odd = [
    "nonsense",
    `${real.slice(0, -4)}AAAA`,
    await seal([new Uint8Array(32)], 60),
    await seal(keys.signIn, 60),
    await seal(keys.session, -1),
  ];
  expect((await get("/account", `kept_account=${real}`)).status).toBe(200);
  expect((await get("/account", `kept_account=${await seal(keys.session, 60)}`)).status).toBe(200);
  for (const value of odd) {
    const answer = await get("/account", `kept_account=${value}`);
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toStartWith(`${baseUrl}/account/sign-in?`);
  }
});

test("the way back from the provider counts only in the browser that left, and once", async () => {
  const { account, back } = await newPerson();
  expect((await createBrowser(baseUrl).open(back)).status).toBe(400);
  expect((await account.open(back)).text).toContain("You are not signed in");
  const other = createBrowser(baseUrl);
  await other.open("/account");
  const answer = await other.open(back);
  expect(answer.status).toBe(400);
  expect(answer.text).toContain("not the one that you started");
});

test("a sign-in that the provider or the person refused says so", async () => {
  const browser = createBrowser(baseUrl);
  const state = new URL((await browser.open("/account")).url).searchParams.get("state") ?? "";
  const query = new URLSearchParams({ error: "access_denied", state, iss: authUrl });
  const page = await browser.open(`/account/callback?${query}`);
  expect(page.status).toBe(400);
  expect(page.text).toContain("cancelled");
});

test("signing in never leads to another site", async () => {
  const person = await signedUp(provider.config);
  for (const next of ["https://evil.example/account", "/account/../api/v1/todos"]) {
    const { page } = await signIn(person, `/account/sign-in?${new URLSearchParams({ next })}`);
    expect(page.url).toBe(`${baseUrl}/account`);
  }
});

test("signing out ends copied cookies, and goes on at the provider, which asks", async () => {
  const { account } = await newPerson();
  const copy = cookieOf(account);
  const away = await account.submit(await account.open("/account"), "/account/sign-out", {});
  expect(away.url).toStartWith(`${authUrl}/session/end?`);
  expect((await get("/account", copy)).status).toBe(303);
});

test("the provider's confirmed address, and no other, is where reminders by e-mail go", async () => {
  const email = `${crypto.randomUUID()}@example.org`;
  const person = await signedUp(provider.config, email);
  const [{ id } = {}] = await provider.sql(`select id from identity.accounts where email = '${email}'`);
  const confirm = (at: string) =>
    provider.sql(`update identity.accounts set email_verified_at = ${at} where id = '${id}'`);
  const told = async () => {
    await signIn(person);
    const { rows } = await withPool(stack.config, (pool) =>
      pool.query("select email from users where user_id = $1", [id]),
    );
    return rows[0]?.email ?? null;
  };
  expect(await told()).toBeNull();
  await confirm("now()");
  expect(await told()).toBe(email);
  // The provider no longer confirms the address: it may belong to somebody else now.
  await confirm("null");
  expect(await told()).toBeNull();
});
