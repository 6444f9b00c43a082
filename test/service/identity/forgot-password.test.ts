import { expect, test } from "bun:test";
import { type Browser, createBrowser, type Page } from "../../support/identity/browser.ts";
import { newestLink, signedUpByMail, startTestIdentity } from "../../support/identity/support.ts";
import { startIdentityWithMail } from "../../support/identity/with-mail.ts";
import { eventually } from "../../support/reminder/stack.ts";
import type { ReceivedMail } from "../../support/servers/mailbox.ts";

const oldPassword = "correct horse battery";
const newPassword = "an easy one to keep";

const { mailbox, identity } = await startIdentityWithMail();

const newBrowser = () => createBrowser(identity.config.authUrl);
const resetsFor = (email: string) =>
  mailbox.mails.filter(({ to, source }) => to.includes(email) && source.includes("/reset-password?")).length;

async function forget(email: string, browser = newBrowser()): Promise<Page> {
  return browser.submit(await browser.open("/forgot-password"), "/forgot-password", { email });
}

/** Asks for a link, and waits for the mail, which is sent after the answer. */
async function askForLink(email: string): Promise<string> {
  const before = resetsFor(email);
  await forget(email);
  for (let n = 0; n < 100 && resetsFor(email) === before; n++) await Bun.sleep(20);
  return newestLink(mailbox, email);
}

async function choose(link: string, answers: Record<string, string> = {}, browser = newBrowser()) {
  return browser.submit(await browser.open(link), "/reset-password", { password: newPassword, ...answers });
}

async function signIn(email: string, password: string): Promise<Page> {
  const browser = newBrowser();
  const page = await browser.open("/sign-in?next=/profile");
  return browser.submit(page, "/sign-in", { email, password });
}

const isSignedIn = async (browser: Browser) => (await browser.open("/profile")).url.endsWith("/profile");

/** Forgets the counts, because all browsers of these tests are in one network. */
const forgetCounts = () => identity.sql("delete from identity.throttle where key like 'reset%'");

test("a mailed link sets a new password, once, and signs in here and out everywhere else", async () => {
  const email = "ada@example.org";
  const before = await signedUpByMail(identity.config, mailbox, email);
  const link = await askForLink(email);
  expect(link).toStartWith(`${identity.config.authUrl}/reset-password?token=`);
  expect(await choose(link, { password: "short" })).toMatchObject({ status: 422 });
  const browser = newBrowser();
  const done = await choose(link, {}, browser);
  expect(done.url).toBe(`${identity.config.baseUrl}/account/sign-in`);
  expect([await isSignedIn(browser), await isSignedIn(before)]).toEqual([true, false]);
  expect(identity.news).toContainEqual(expect.objectContaining({ name: "user.end-sessions" }));
  expect((await signIn(email, newPassword)).status).toBe(200);
  expect((await signIn(email, oldPassword)).status).toBe(422);
  expect((await newBrowser().open(link)).status).toBe(410);
  const isTold = ({ to, source }: ReceivedMail) =>
    to.includes(email) && source.includes("was changed by a mailed link");
  await eventually(() => mailbox.mails.some(isTold));
});

test("the answer is the same for every address, and only confirmed ones get mail", async () => {
  await forgetCounts();
  await signedUpByMail(identity.config, mailbox, "bob@example.org");
  await signedUpByMail(identity.config, mailbox, "unconfirmed@example.org");
  await identity.sql(
    "update identity.accounts set email_verified_at = null where email = 'unconfirmed@example.org'",
  );
  const pages: string[] = [];
  for (const email of ["unconfirmed@example.org", "nobody@example.org", "bob@example.org"]) {
    const { status, text } = await forget(email);
    pages.push(`${status} ${text.replace(email, "…")}`);
  }
  expect(new Set(pages).size).toBe(1);
  for (let n = 0; n < 100 && resetsFor("bob@example.org") === 0; n++) await Bun.sleep(20);
  expect(resetsFor("bob@example.org")).toBe(1);
  // The others were requested earlier, and a link is stored before it is mailed.
  expect([resetsFor("nobody@example.org"), resetsFor("unconfirmed@example.org")]).toEqual([0, 0]);
  expect(
    await identity.sql("select from identity.password_resets where email = 'unconfirmed@example.org'"),
  ).toEqual([]);
});

test("a link is worth nothing after half an hour, at another address of the account, or in a strange form", async () => {
  await forgetCounts();
  const email = "carol@example.org";
  await signedUpByMail(identity.config, mailbox, email);
  const link = await askForLink(email);
  const [{ minutes } = {}] = await identity.sql(
    "select max(extract(epoch from expires_at - now())) / 60 as minutes from identity.password_resets",
  );
  expect(Number(minutes)).toBeWithin(29, 30.01);
  const page = await newBrowser().open(link);
  expect(page.headers.get("referrer-policy")).toBe("strict-origin");
  const stranger = newBrowser();
  await stranger.open("/sign-in");
  expect(await stranger.submit(page, "/reset-password", { password: newPassword })).toMatchObject({
    status: 403,
  });
  await identity.sql(`update identity.accounts set email = 'new-${email}' where email = '${email}'`);
  expect((await newBrowser().open(link)).status).toBe(410);
  await identity.sql(`update identity.accounts set email = '${email}' where email = 'new-${email}'`);
  expect((await newBrowser().open(link)).status).toBe(200);
  await identity.sql("update identity.password_resets set expires_at = now() - interval '1 second'");
  expect((await newBrowser().open(link)).status).toBe(410);
});

test("asking for another link spoils none, using one spoils all, and two who use it at once are one", async () => {
  await forgetCounts();
  const email = "dan@example.org";
  await signedUpByMail(identity.config, mailbox, email);
  const [first, second] = [await askForLink(email), await askForLink(email)];
  const browsers = [newBrowser(), newBrowser()];
  const pages = await Promise.all(browsers.map((browser) => browser.open(first)));
  const answers = await Promise.all(
    browsers.map((browser, n) =>
      browser.submit(pages[n] ?? expect.unreachable(), "/reset-password", { password: newPassword }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([0, 410]);
  expect((await newBrowser().open(second)).status).toBe(410);
});

test("a new password that was set in another way ends the links as well", async () => {
  const email = "gil@example.org";
  const browser = await signedUpByMail(identity.config, mailbox, email);
  const link = await askForLink(email);
  const answers = { password: oldPassword, new_password: newPassword };
  await browser.submit(await browser.open("/profile"), "/profile/password", answers);
  expect((await newBrowser().open(link)).status).toBe(410);
});

test("while a link is refused, one that was mailed before works", async () => {
  await forgetCounts();
  await forget("hal@example.org");
  await forget("hal@example.org");
  const [{ ms } = {}] = await identity.sql(`
    select max(expire) - extract(epoch from now()) * 1000 as ms from identity.throttle where key like 'reset-address%'`);
  expect(Number(ms)).toBeLessThanOrEqual(30 * 60_000);
});

test("mails are few: two for an address from one network while a link works", async () => {
  await forgetCounts();
  const statuses: number[] = [];
  for (let n = 0; n < 3; n++) statuses.push((await forget("eve@example.org")).status);
  expect(statuses).toEqual([200, 200, 429]);
  expect((await forget("frank@example.org")).status).toBe(200);
});

test("a server without mail says who can help", async () => {
  const silent = await startTestIdentity();
  const browser = createBrowser(silent.config.authUrl);
  expect((await browser.open("/sign-in")).text).toContain("/forgot-password");
  expect((await browser.open("/forgot-password")).text).toContain("npm run owner");
  await silent.stop();
});
