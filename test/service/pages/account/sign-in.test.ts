import { expect, test } from "bun:test";
import { type Browser, cookieOf, createBrowser } from "../../../support/identity/browser.ts";
import { changePassword, password, signedUp, signIn } from "../../../support/identity/support.ts";
import { useSite } from "../../../support/pages/support.ts";

const { stack, identity } = await useSite();
const { baseUrl } = stack.config;
const anotherPassword = { new_password: "another long one" };

async function newPerson() {
  const account = await signedUp(identity.config);
  return { account, page: await account.open("/account") };
}

const get = (path: string, cookie = "") =>
  fetch(`${baseUrl}${path}`, { headers: { cookie }, redirect: "manual" });

async function isSignedIn(browser: Pick<Browser, "cookies">): Promise<boolean> {
  return (await get("/account", cookieOf(browser))).status === 200;
}

test("a stranger signs in and ends on the page that was asked for", async () => {
  const email = `${crypto.randomUUID()}@example.org`;
  await signedUp(identity.config, email);
  const [browser, path] = [createBrowser(baseUrl), "/account/actions?tool=create-todo"];
  const asked = await browser.open(path);
  expect(asked.url).toBe(`${baseUrl}/sign-in?${new URLSearchParams({ next: path })}`);
  const page = await browser.submit(asked, "/sign-in", { email, password });
  expect(page).toMatchObject({ status: 200, url: `${baseUrl}${path}` });
});

test("the session is one cookie for all pages, which neither scripts nor other sites can use", async () => {
  const { account } = await newPerson();
  const names = [...account.cookies.keys()].filter((name) => !/^kept_(browser|known|seen)/.test(name));
  expect(names).toEqual(["kept_session", "kept_session.sig"]);
  const renewed = await get("/sign-in", cookieOf(account));
  const session = renewed.headers.getSetCookie().find((line) => line.startsWith("kept_session="));
  for (const attribute of ["httponly", "samesite=lax", "path=/"])
    expect(session?.toLowerCase()).toContain(attribute);
});

test("a session that is forged, changed or expired is none", async () => {
  const { account } = await newPerson();
  const real = account.cookies.get("kept_session")?.value ?? "";
  expect((await get("/account", `kept_session=${real}`)).status).toBe(200);
  const expire = (interval: string) =>
    identity.sql(`update identity.artifacts set expires_at = expires_at - interval '${interval}'
      where kind = 'Session' and id_hash = '\\x${new Bun.CryptoHasher("sha256").update(real).digest("hex")}'`);
  for (const value of ["nonsense", "", `${real.slice(0, -4)}AAAA`]) {
    const answer = await get("/account", `kept_session=${value}`);
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      `${baseUrl}/account/sign-in?next=%2Faccount`,
    ]);
  }
  await expire("31 days");
  expect(await isSignedIn(account)).toBe(false);
});

test("a session that was not used for half a day is renewed, and its person is not asked", async () => {
  const { account } = await newPerson();
  await identity.sql(
    "update identity.artifacts set expires_at = expires_at - interval '13 hours' where kind = 'Session'",
  );
  expect(await isSignedIn(account)).toBe(false);
  expect((await account.open("/account/todos")).url).toBe(`${baseUrl}/account/todos`);
  expect(await isSignedIn(account)).toBe(true);
});

test("signing in never leads to another site", async () => {
  const { account } = await newPerson();
  const elsewhere = ["https://evil.example/account", "//evil.example/account", "/\\evil.example"];
  for (const next of [...elsewhere, "/account/../api/v1/todos", "javascript:alert(1)"]) {
    const page = await account.open(`/account/sign-in?${new URLSearchParams({ next })}`);
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
  const settings = async () => (await mine.account.open("/account/settings/day")).text;
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

test("the confirmed address, and no other, is where reminders by e-mail go", async () => {
  const email = `${crypto.randomUUID()}@example.org`;
  await signedUp(identity.config, email);
  const [{ id } = {}] = await identity.sql(`select id from identity.accounts where email = '${email}'`);
  const addressIs = async () =>
    (await identity.sql(`select email, reminder_channel from users where user_id = '${id}'`))[0];
  const confirm = (at: string) =>
    identity.sql(`update identity.accounts set email_verified_at = ${at} where id = '${id}'`);
  const visit = async () => (await signIn(identity.config, email)).browser.open("/account");
  await visit();
  expect((await addressIs())?.email ?? null).toBeNull();
  await confirm("now()");
  await visit();
  expect((await addressIs())?.email).toBe(email);
  // The address is no longer confirmed: it may belong to somebody else now.
  await identity.sql(`update users set reminder_channel = 'email' where user_id = '${id}'`);
  await confirm("null");
  await visit();
  expect(await addressIs()).toEqual({ email: null, reminder_channel: "log" });
});

/** A person who is signed in in two browsers. */
async function inTwoBrowsers() {
  const email = `${crypto.randomUUID()}@example.org`;
  const mine = await signedUp(identity.config, email);
  const { browser: theirs } = await signIn(identity.config, email);
  const [account] = await identity.sql(`select id from identity.accounts where email = '${email}'`);
  return { mine, theirs, id: account?.id };
}

const hook = { webhook_url: "https://attacker.example/x" };

test("a new password ends every other session at once", async () => {
  const { mine, theirs, id } = await inTwoBrowsers();
  const settings = await theirs.open("/account/settings");
  expect(settings.status).toBe(200);
  const changed = await changePassword(mine, anotherPassword);
  expect(changed.text).toContain("Other browsers are signed out");
  expect((await theirs.open("/profile")).url).toContain("/sign-in");
  expect(await isSignedIn(theirs)).toBe(false);
  await theirs.submit(settings, "/account/settings/webhook", hook);
  const hooked = `select from users where user_id = '${id}' and webhook_url is not null`;
  expect(await identity.sql(hooked)).toEqual([]);
  // The person who changed the password is not asked again.
  expect(await isSignedIn(mine)).toBe(true);
});

test("signing out from any page ends this browser's session with copies of its cookie, and no other browser's", async () => {
  for (const path of ["/account", "/profile"]) {
    const { mine, theirs } = await inTwoBrowsers();
    const copy = { cookies: new Map(mine.cookies) };
    const left = await mine.submit(await mine.open(path), "/account/sign-out", {});
    expect(left.url).toContain("/sign-in");
    expect([await isSignedIn(copy), await isSignedIn(theirs)]).toEqual([false, true]);
  }
});

test("one click signs out also from a page of an earlier session; where nobody is signed in nothing is refused", async () => {
  const email = `${crypto.randomUUID()}@example.org`;
  const browser = await signedUp(identity.config, email);
  const old = await browser.open("/account");
  await browser.submit(old, "/account/sign-out", {});
  const again = await browser.submit(old, "/account/sign-out", {});
  expect(again).toMatchObject({ status: 200, url: `${baseUrl}/sign-in` });
  await browser.submit(await browser.open("/sign-in"), "/sign-in", { email, password });
  await browser.submit(old, "/account/sign-out", {});
  expect(await isSignedIn(browser)).toBe(false);
});

test("a sign-out tells the browser to forget what pages stored in it", async () => {
  const { account, page } = await newPerson();
  const csrf = page.forms.flatMap(({ fields }) => fields).find(([name]) => name === "csrf")?.[1] ?? "";
  const body = new URLSearchParams({ csrf });
  const headers = { cookie: cookieOf(account), origin: baseUrl };
  const answer = await fetch(`${baseUrl}/sign-out`, { method: "POST", body, headers, redirect: "manual" });
  expect([answer.status, answer.headers.get("clear-site-data")]).toEqual([303, '"storage"']);
});

test("a deleted account is signed out everywhere, and nothing is written for it any more", async () => {
  const { mine, theirs, id } = await inTwoBrowsers();
  const settings = await theirs.open("/account/settings");
  const done = await mine.submit(await mine.open("/profile"), "/profile/delete", {});
  expect(done.text).toContain("Your habits and todos are gone with it");
  const deleted = `insert into deleted_users (id, deleted_at) values ('${id}', now()) on conflict do nothing`;
  await identity.sql(deleted);
  expect(await isSignedIn(theirs)).toBe(false);
  await theirs.submit(settings, "/account/settings/webhook", hook);
  expect(await identity.sql(`select from users where user_id = '${id}'`)).toEqual([]);
});
