import { expect, test } from "bun:test";
import { type Browser, cookieOf, createBrowser } from "../../../support/identity/browser.ts";
import { changePassword, password, signedUp } from "../../../support/identity/support.ts";
import { useSite } from "../../../support/pages/support.ts";

const site = await useSite();
const { stack, identity } = site;
const { baseUrl, authUrl } = stack.config;
const anotherPassword = { new_password: "another long one" };

/** One person's browser as two, each with the cookies of one site: the account pages' and the provider's. */
async function signIn(provider: Browser, account = createBrowser(baseUrl)) {
  const back = await provider.open((await account.open("/account")).url);
  expect((await account.open(back.url)).url).toBe(`${baseUrl}/account`);
  return { provider, account };
}

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

const newPerson = async () => signIn(await signedUp(identity.config));

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
  await signIn(mine.provider, mine.account);
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
  await signIn(theirs.provider, theirs.account);
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
