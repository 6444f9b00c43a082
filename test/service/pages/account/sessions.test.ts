import { expect, test } from "bun:test";
import { type Browser, createBrowser } from "../../../support/identity/browser.ts";
import { signedUp } from "../../../support/identity/support.ts";
import { browserTest, signUp, useSite } from "../../../support/pages/support.ts";

const site = await useSite();
const { stack, identity } = site;
const { baseUrl, authUrl } = stack.config;
const password = "correct horse battery";

/** One person's browser as two, each with the cookies of one site: the account pages' and the provider's. */
async function signIn(provider: Browser, account = createBrowser(baseUrl)) {
  const back = await provider.open((await account.open("/account")).url);
  expect((await account.open(back.url)).url).toBe(`${baseUrl}/account`);
  return { provider, account };
}

/** A person who is signed in to the account pages in two browsers. */
async function inTwoBrowsers(email: string) {
  const mine = await signIn(await signedUp(identity.config, email));
  const elsewhere = createBrowser(authUrl);
  await elsewhere.submit(await elsewhere.open("/sign-in"), "/sign-in", { email, password });
  return { mine, theirs: await signIn(elsewhere) };
}

async function isSignedIn({ cookies }: Browser): Promise<boolean> {
  const cookie = `kept_account=${cookies.get("kept_account")?.value}`;
  const answer = await fetch(`${baseUrl}/account`, { headers: { cookie }, redirect: "manual" });
  return answer.status === 200;
}

test("a new password ends every other session at once, the account pages' too", async () => {
  const { mine, theirs } = await inTwoBrowsers("dave@example.org");
  const settings = await theirs.account.open("/account/settings");
  expect(settings.status).toBe(200);
  const profile = await mine.provider.open("/profile");
  const done = await mine.provider.submit(profile, "/profile/password", {
    password,
    new_password: "another long one",
  });
  expect(done.text).toContain("Other browsers are signed out");
  expect((await theirs.provider.open("/profile")).url).toContain("/sign-in");
  expect(await isSignedIn(theirs.account)).toBe(false);
  const hook = { webhook_url: "https://attacker.example/x" };
  await theirs.account.submit(settings, "/account/settings/webhook", hook);
  expect(await identity.sql("select from users where webhook_url is not null")).toEqual([]);
  // The person who changed the password is not asked again.
  await signIn(mine.provider, mine.account);
  expect(await isSignedIn(mine.account)).toBe(true);
});

test("a sign-in that was under way when the password changed opens nothing", async () => {
  const { mine, theirs } = await inTwoBrowsers("dora@example.org");
  const account = createBrowser(baseUrl);
  const back = await theirs.provider.open((await account.open("/account")).url);
  const profile = await mine.provider.open("/profile");
  await mine.provider.submit(profile, "/profile/password", { password, new_password: "another long one" });
  expect((await account.open(back.url)).status).toBe(400);
});

test("signing out of the account pages signs out of the provider without a question, and ends copied cookies", async () => {
  const { mine, theirs } = await inTwoBrowsers("erin@example.org");
  const copy = { ...mine.account, cookies: new Map(mine.account.cookies) };
  const away = await mine.account.submit(await mine.account.open("/account"), "/account/sign-out", {});
  expect((await mine.provider.open(away.url)).url).toBe(`${baseUrl}/account`);
  expect((await mine.provider.open("/profile")).url).toContain("/sign-in");
  expect(await isSignedIn(copy)).toBe(false);
  // Another browser that is signed in at the provider comes back by itself.
  await signIn(theirs.provider, theirs.account);
});

test("signing out at the provider signs out of the account pages", async () => {
  const { mine } = await inTwoBrowsers("faye@example.org");
  await mine.provider.submit(await mine.provider.open("/profile"), "/sign-out", {});
  expect(await isSignedIn(mine.account)).toBe(false);
});

test("one click signs out also from a page whose session has ended, which the provider would open anew", async () => {
  const { mine, theirs } = await inTwoBrowsers("hana@example.org");
  const old = await mine.account.open("/account");
  // Ends the sessions of the account pages everywhere; at the provider this browser stays signed in.
  await theirs.provider.submit(await theirs.provider.open("/profile"), "/sign-out", {});
  const away = await mine.account.submit(old, "/account/sign-out", {});
  expect((await mine.provider.open(away.url)).url).toBe(`${baseUrl}/account`);
  expect((await mine.provider.open("/profile")).url).toContain("/sign-in");
});

test("on the provider too, from a page of an earlier session; where nobody is signed in nothing is refused", async () => {
  const email = "ines@example.org";
  const provider = await signedUp(identity.config, email);
  const old = await provider.open("/profile");
  await provider.submit(old, "/sign-out", {});
  expect(await provider.submit(old, "/sign-out", {})).toMatchObject({
    status: 200,
    url: `${authUrl}/sign-in`,
  });
  await provider.submit(await provider.open("/sign-in"), "/sign-in", { email, password });
  await provider.submit(old, "/sign-out", {});
  expect((await provider.open("/profile")).url).toContain("/sign-in");
});

test("an ID token of one person signs nobody else out", async () => {
  const [mine, theirs] = [
    await signIn(await signedUp(identity.config)),
    await signIn(await signedUp(identity.config)),
  ];
  const away = await mine.account.submit(await mine.account.open("/account"), "/account/sign-out", {});
  const page = await theirs.provider.open(away.url);
  expect(page.text).toContain("Sign out?");
  expect(await isSignedIn(theirs.account)).toBe(true);
});

test("whoever signs out where nobody is signed in is sent back", async () => {
  const { account } = await signIn(await signedUp(identity.config));
  const away = await account.submit(await account.open("/account"), "/account/sign-out", {});
  expect((await createBrowser(authUrl).open(away.url)).url).toBe(`${baseUrl}/account`);
});

test("a deleted account is signed out everywhere, and nothing is written for it any more", async () => {
  const { mine, theirs } = await inTwoBrowsers("gwen@example.org");
  const settings = await theirs.account.open("/account/settings");
  const [{ id } = {}] = await identity.sql(
    "select id from identity.accounts where email = 'gwen@example.org'",
  );
  const profile = await mine.provider.open("/profile");
  const done = await mine.provider.submit(profile, "/profile/delete", {});
  expect(done.text).toContain("Your habits and todos are gone with it");
  await identity.sql(
    `insert into deleted_users (id, deleted_at) values ('${id}', now()) on conflict do nothing`,
  );
  expect(await isSignedIn(theirs.account)).toBe(false);
  const hook = { webhook_url: "https://attacker.example/zombie" };
  await theirs.account.submit(settings, "/account/settings/webhook", hook);
  expect(await identity.sql(`select from users where user_id = '${id}'`)).toEqual([]);
});

browserTest("one click on Sign out ends both sessions, from either side", async () => {
  const page = await site.open();
  await signUp(site, page);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.goto(`${baseUrl}/account`);
  expect(page.url()).toStartWith(`${authUrl}/sign-in`);

  await signUp(site, page);
  await page.goto(`${authUrl}/profile`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.goto(`${baseUrl}/account`);
  expect(page.url()).toStartWith(`${authUrl}/sign-in`);
});
