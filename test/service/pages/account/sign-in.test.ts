import { expect, test } from "bun:test";
import { hkdfSync } from "node:crypto";
import { sealedCookie } from "../../../../api/doors/pages/session/sealed-cookie.ts";
import type { KeyRing } from "../../../../api/web/key-ring.ts";
import { type Browser, cookieOf, createBrowser } from "../../../support/identity/browser.ts";
import { changePassword, password, serviceClient, signedUp } from "../../../support/identity/support.ts";
import { pagesKeysOf } from "../../../support/pages/live-support.ts";
import { useSite } from "../../../support/pages/support.ts";

const { stack, identity } = await useSite();
const { baseUrl, authUrl } = stack.config;
const anotherPassword = { new_password: "another long one" };

/** The service and its provider each see their own cookies, so one browser stands for each. */
async function signIn(provider: Browser, path = "/account", account = createBrowser(baseUrl)) {
  const away = await account.open(path);
  const back = await provider.open(away.url);
  return { provider, account, away: away.url, back: back.url, page: await account.open(back.url) };
}

const newPerson = async () => signIn(await signedUp(identity.config));

const get = (path: string, cookie = "") =>
  fetch(`${baseUrl}${path}`, { headers: { cookie }, redirect: "manual" });

test("a stranger signs in at the provider and ends on the page that was asked for", async () => {
  const path = "/account/actions?tool=create-todo";
  const { away, page } = await signIn(await signedUp(identity.config), path);
  expect(away).toStartWith(`${authUrl}/authorize?`);
  expect(new URL(away).searchParams.get("code_challenge_method")).toBe("S256");
  expect(page).toMatchObject({ status: 200, url: `${baseUrl}${path}` });
});

test("the session is a cookie that neither scripts nor other sites can use", async () => {
  const account = createBrowser(baseUrl);
  const provider = await signedUp(identity.config);
  const back = await provider.open((await account.open("/account")).url);
  const answer = await get(back.url.slice(baseUrl.length), cookieOf(account));
  const session = answer.headers.getSetCookie().find((line) => line.startsWith("kept_account="));
  for (const attribute of ["HttpOnly", "SameSite=Lax", "Path=/account", "Max-Age=43200"])
    expect(session).toContain(attribute);
});

test("a session that is forged, changed, of another key or expired is none", async () => {
  const { account } = await newPerson();
  const real = account.cookies.get("kept_account")?.value ?? "";
  const { secret } = await serviceClient(stack.config);
  const seal = async (key: KeyRing<Uint8Array>, lifetimeSeconds: number) => {
    const cookie = sealedCookie({ name: "kept_account", key, lifetimeSeconds, secure: false });
    const [pair = ""] = (await cookie.seal({ sub: "ada", sid: "1", generation: 0 })).split(";");
    return pair.slice("kept_account=".length);
  };
  const keys = await pagesKeysOf(stack.config);
  const guessable = new Uint8Array(hkdfSync("sha256", secret, "kept account pages", "session", 32));
  const odd = [
    "nonsense",
    `${real.slice(0, -4)}AAAA`,
    await seal([guessable], 60),
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
  const provider = await signedUp(identity.config);
  const elsewhere = ["https://evil.example/account", "//evil.example/account", "/\\evil.example"];
  for (const next of [...elsewhere, "/account/../api/v1/todos", "javascript:alert(1)"]) {
    const { page } = await signIn(provider, `/account/sign-in?${new URLSearchParams({ next })}`);
    expect(page.url).toBe(`${baseUrl}/account`);
  }
});

test("a form without its token, with somebody else's, or from another site changes nothing", async () => {
  const [mine, theirs] = [await newPerson(), await newPerson()];
  const csrfIn = (text: string) => /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? "";
  const form = { time_zone: "Asia/Tokyo", day_start_hour: "3" };
  const post = (body: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(`${baseUrl}/account/settings/day`, {
      method: "POST",
      body: new URLSearchParams({ ...form, ...body }),
      headers: { cookie: cookieOf(mine.account), ...headers },
      redirect: "manual",
    });
  const own = csrfIn(mine.page.text);
  for (const [status, body, headers] of [
    [403, {}],
    [403, { csrf: "forged" }],
    [403, { csrf: csrfIn(theirs.page.text) }],
    [403, { csrf: own }, { origin: "https://evil.example" }],
    [415, { csrf: own }, { "content-type": "text/plain" }],
  ] as const)
    expect((await post({ ...body }, headers)).status).toBe(status);
  const settings = async () => (await mine.account.open("/account/settings")).text;
  expect(await settings()).not.toContain("selected>Asia/Tokyo");
  expect((await post({ csrf: own })).status).toBe(303);
  expect(await settings()).toContain("selected>Asia/Tokyo");
});

test("a form that comes after the session has ended leads to the sign-in and back to its page", async () => {
  const sent = { method: "POST", headers: { referer: `${baseUrl}/account/settings` } };
  const answer = await fetch(`${baseUrl}/account/settings/day`, { ...sent, redirect: "manual" });
  expect(answer.status).toBe(303);
  expect(answer.headers.get("location")).toBe(`${baseUrl}/account/sign-in?next=%2Faccount%2Fsettings`);
});

test("pages are never cached or framed, run no script of others, and odd addresses and methods get pages too", async () => {
  const { account, page } = await newPerson();
  expect(page.headers.get("cache-control")).toBe("no-store");
  expect(page.headers.get("content-security-policy")).toContain("script-src 'self'; connect-src 'self';");
  const categories = await account.open("/account/categories");
  expect(categories.headers.get("content-security-policy")).toContain("script-src 'none'; form-action");
  expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(page.headers.get("referrer-policy")).toBe("same-origin");
  expect((await account.open("/account/nothing")).status).toBe(404);
  const noSuchDay = "2026-13-45T09:00:00.000000Z_00000000-0000-7000-8000-000000000000";
  const noSuchId = "2026-11-20T09:00:00.000000Z_------------------------------------";
  const odd = ["cursor=odd", `cursor=${noSuchDay}`, `cursor=${noSuchId}`, "tool=%00"];
  for (const query of [...odd, "from=0000-01-01T00:00:00Z", "to=2026-11-20T09:00:00%2B23:59"])
    expect((await account.open(`/account/actions?${query}`)).status).toBe(422);
  expect((await account.open("/account/tick")).url).toBe(`${baseUrl}/account`);
  expect((await fetch(`${baseUrl}/account`, { method: "DELETE" })).status).toBe(405);
});

test("the provider's confirmed address, and no other, is where reminders by e-mail go", async () => {
  const email = `${crypto.randomUUID()}@example.org`;
  const provider = await signedUp(identity.config, email);
  const [{ id } = {}] = await identity.sql(`select id from identity.accounts where email = '${email}'`);
  const addressIs = async () =>
    (await identity.sql(`select email, reminder_channel from users where user_id = '${id}'`))[0];
  const confirm = (at: string) =>
    identity.sql(`update identity.accounts set email_verified_at = ${at} where id = '${id}'`);
  await signIn(provider);
  expect((await addressIs())?.email ?? null).toBeNull();
  await confirm("now()");
  await signIn(provider);
  expect((await addressIs())?.email).toBe(email);
  // The provider no longer confirms the address: it may belong to somebody else now.
  await identity.sql(`update users set reminder_channel = 'email' where user_id = '${id}'`);
  await confirm("null");
  await signIn(provider);
  expect(await addressIs()).toEqual({ email: null, reminder_channel: "log" });
});

/** A person who is signed in to the account pages in two browsers. */
async function inTwoBrowsers() {
  const email = `${crypto.randomUUID()}@example.org`;
  const mine = await signIn(await signedUp(identity.config, email));
  const elsewhere = createBrowser(authUrl);
  await elsewhere.submit(await elsewhere.open("/sign-in"), "/sign-in", { email, password });
  const [account] = await identity.sql(`select id from identity.accounts where email = '${email}'`);
  return { mine, theirs: await signIn(elsewhere), id: account?.id };
}

const hook = { webhook_url: "https://attacker.example/x" };

async function isSignedIn(browser: Pick<Browser, "cookies">): Promise<boolean> {
  const headers = { cookie: cookieOf(browser) };
  return (await fetch(`${baseUrl}/account`, { headers, redirect: "manual" })).status === 200;
}

test("a new password ends every other session at once, the account pages' too", async () => {
  const { mine, theirs, id } = await inTwoBrowsers();
  const settings = await theirs.account.open("/account/settings");
  expect(settings.status).toBe(200);
  const changed = await changePassword(mine.provider, anotherPassword);
  expect(changed.text).toContain("Other browsers are signed out");
  expect((await theirs.provider.open("/profile")).url).toContain("/sign-in");
  expect(await isSignedIn(theirs.account)).toBe(false);
  await theirs.account.submit(settings, "/account/settings/webhook", hook);
  const hooked = `select from users where user_id = '${id}' and webhook_url is not null`;
  expect(await identity.sql(hooked)).toEqual([]);
  // The person who changed the password is not asked again.
  await signIn(mine.provider, "/account", mine.account);
  expect(await isSignedIn(mine.account)).toBe(true);
});

test("a sign-in that was under way when the password changed opens nothing", async () => {
  const { mine, theirs } = await inTwoBrowsers();
  const account = createBrowser(baseUrl);
  const back = await theirs.provider.open((await account.open("/account")).url);
  await changePassword(mine.provider, anotherPassword);
  expect((await account.open(back.url)).status).toBe(400);
});

test("signing out of the account pages signs out of the provider without a question, and ends copied cookies", async () => {
  const { mine, theirs } = await inTwoBrowsers();
  const copy = { ...mine.account, cookies: new Map(mine.account.cookies) };
  const away = await mine.account.submit(await mine.account.open("/account"), "/account/sign-out", {});
  expect((await mine.provider.open(away.url)).url).toBe(`${baseUrl}/account`);
  expect((await mine.provider.open("/profile")).url).toContain("/sign-in");
  expect(await isSignedIn(copy)).toBe(false);
  // Another browser that is signed in at the provider comes back by itself.
  const { page } = await signIn(theirs.provider, "/account", theirs.account);
  expect(page.url).toBe(`${baseUrl}/account`);
});

test("signing out at the provider signs out of the account pages", async () => {
  const { mine } = await inTwoBrowsers();
  await mine.provider.submit(await mine.provider.open("/profile"), "/sign-out", {});
  expect(await isSignedIn(mine.account)).toBe(false);
});

test("one click signs out also from a page whose session has ended, which the provider would open anew", async () => {
  const { mine, theirs } = await inTwoBrowsers();
  const old = await mine.account.open("/account");
  // Ends the sessions of the account pages everywhere; at the provider this browser stays signed in.
  await theirs.provider.submit(await theirs.provider.open("/profile"), "/sign-out", {});
  const away = await mine.account.submit(old, "/account/sign-out", {});
  expect((await mine.provider.open(away.url)).url).toBe(`${baseUrl}/account`);
  expect((await mine.provider.open("/profile")).url).toContain("/sign-in");
});

test("on the provider too, from a page of an earlier session; where nobody is signed in nothing is refused", async () => {
  const email = `${crypto.randomUUID()}@example.org`;
  const provider = await signedUp(identity.config, email);
  const old = await provider.open("/profile");
  await provider.submit(old, "/sign-out", {});
  const again = await provider.submit(old, "/sign-out", {});
  expect(again).toMatchObject({ status: 200, url: `${authUrl}/sign-in` });
  await provider.submit(await provider.open("/sign-in"), "/sign-in", { email, password });
  await provider.submit(old, "/sign-out", {});
  expect((await provider.open("/profile")).url).toContain("/sign-in");
});

test("an ID token of one person signs nobody else out", async () => {
  const [mine, theirs] = [await newPerson(), await newPerson()];
  const away = await mine.account.submit(await mine.account.open("/account"), "/account/sign-out", {});
  const page = await theirs.provider.open(away.url);
  expect(page.text).toContain("Sign out?");
  expect(await isSignedIn(theirs.account)).toBe(true);
});

test("whoever signs out where nobody is signed in is sent back", async () => {
  const { account } = await newPerson();
  const away = await account.submit(await account.open("/account"), "/account/sign-out", {});
  expect((await createBrowser(authUrl).open(away.url)).url).toBe(`${baseUrl}/account`);
});

test("a deleted account is signed out everywhere, and nothing is written for it any more", async () => {
  const { mine, theirs, id } = await inTwoBrowsers();
  const settings = await theirs.account.open("/account/settings");
  const profile = await mine.provider.open("/profile");
  const done = await mine.provider.submit(profile, "/profile/delete", {});
  expect(done.text).toContain("Your habits and todos are gone with it");
  const deleted = `insert into deleted_users (id, deleted_at) values ('${id}', now()) on conflict do nothing`;
  await identity.sql(deleted);
  expect(await isSignedIn(theirs.account)).toBe(false);
  await theirs.account.submit(settings, "/account/settings/webhook", hook);
  expect(await identity.sql(`select from users where user_id = '${id}'`)).toEqual([]);
});
