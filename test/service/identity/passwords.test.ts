import { expect, test } from "bun:test";
import { type Browser, createBrowser, type Page } from "../../support/identity/browser.ts";
import {
  changePassword,
  isSignedIn,
  newestLink,
  password as oldPassword,
  signedUpByMail,
  signIn,
  useIdentity,
  useIdentityWithMail,
} from "../../support/identity/support.ts";
import { eventually } from "../../support/reminder/stack.ts";

const newPassword = "an easy one to keep";
const { mailbox, identity } = await useIdentityWithMail();
const { config, sql } = identity;

const newBrowser = () => createBrowser(config.authUrl);
const join = (email: string) => signedUpByMail(config, mailbox, email);
const mailsTo = (email: string, words: string) =>
  mailbox.mails.filter(({ to, source }) => to.includes(email) && source.includes(words)).length;
const resetsFor = (email: string) => mailsTo(email, "/reset-password?");

async function forget(email: string, browser = newBrowser()): Promise<Page> {
  return browser.submit(await browser.open("/forgot-password"), "/forgot-password", { email });
}

/** Asks for a link, and waits for the mail, which is sent after the answer. */
async function askForLink(email: string): Promise<string> {
  const before = resetsFor(email);
  await forget(email);
  await eventually(() => resetsFor(email) > before);
  return newestLink(mailbox, email);
}

async function choose(link: string, password = newPassword, browser = newBrowser()) {
  return browser.submit(await browser.open(link), "/reset-password", { password });
}

const statusAt = async (link: string) => (await newBrowser().open(link)).status;

test("a mailed link sets a new password, once, and signs in here and out everywhere else", async () => {
  const email = "ada@reset.example";
  const before = await join(email);
  const link = await askForLink(email);
  expect(link).toStartWith(`${config.authUrl}/reset-password?token=`);
  const browser = newBrowser();
  const done = await choose(link, newPassword, browser);
  expect(done.url).toBe(`${config.baseUrl}/account`);
  expect([await isSignedIn(browser), await isSignedIn(before)]).toEqual([true, false]);
  expect(identity.news).toContainEqual(expect.objectContaining({ name: "user.end-sessions" }));
  expect((await signIn(config, email, newPassword)).page.status).toBe(200);
  expect((await signIn(config, email, oldPassword)).page.status).toBe(422);
  expect(await statusAt(link)).toBe(410);
  await eventually(() => mailsTo(email, "was changed by a mailed link") === 1);
});

test("the answer is the same for every address, and only confirmed ones get mail", async () => {
  const [bob, unconfirmed] = ["bob@reset.example", "unconfirmed@reset.example"];
  for (const email of [bob, unconfirmed]) await join(email);
  await sql(`update identity.accounts set email_verified_at = null where email = '${unconfirmed}'`);
  const pages: string[] = [];
  for (const email of [unconfirmed, "nobody@reset.example", bob]) {
    const { status, text } = await forget(email);
    pages.push(`${status} ${text.replace(email, "…")}`);
  }
  expect(new Set(pages).size).toBe(1);
  await eventually(() => resetsFor(bob) === 1);
  // The others were requested earlier, and a link is stored before it is mailed.
  expect([resetsFor("nobody@reset.example"), resetsFor(unconfirmed)]).toEqual([0, 0]);
  expect(await sql(`select from identity.password_resets where email = '${unconfirmed}'`)).toEqual([]);
});

test("a link is worth nothing after half an hour, at another address of the account, or in a strange form", async () => {
  const email = "carol@reset.example";
  await join(email);
  const link = await askForLink(email);
  const [{ minutes } = {}] = await sql(
    "select max(extract(epoch from expires_at - now())) / 60 as minutes from identity.password_resets",
  );
  expect(Number(minutes)).toBeWithin(29, 30.01);
  const page = await newBrowser().open(link);
  expect(page.headers.get("referrer-policy")).toBe("strict-origin");
  const stranger = newBrowser();
  await stranger.open("/sign-in");
  const foreign = await stranger.submit(page, "/reset-password", { password: newPassword });
  expect(foreign.status).toBe(403);
  const statuses: number[] = [];
  for (const change of [
    `accounts set email = 'new-${email}' where email = '${email}'`,
    `accounts set email = '${email}' where email = 'new-${email}'`,
    "password_resets set expires_at = now() - interval '1 second'",
  ]) {
    await sql(`update identity.${change}`);
    statuses.push(await statusAt(link));
  }
  expect(statuses).toEqual([410, 200, 410]);
});

test("asking for another link spoils none, using one spoils all, and two who use it at once are one", async () => {
  const email = "dan@reset.example";
  await join(email);
  const [first, second] = [await askForLink(email), await askForLink(email)];
  const browsers = [newBrowser(), newBrowser()];
  const pages = await Promise.all(browsers.map((browser) => browser.open(first)));
  const answers = await Promise.all(
    browsers.map((browser, n) =>
      browser.submit(pages[n] ?? expect.unreachable(), "/reset-password", { password: newPassword }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 410]);
  expect(await statusAt(second)).toBe(410);
});

test("a new password that was set in another way ends the links as well", async () => {
  const email = "gil@reset.example";
  const browser = await join(email);
  const link = await askForLink(email);
  await changePassword(browser, { new_password: newPassword });
  expect(await statusAt(link)).toBe(410);
});

test("mails are few: two for an address from one network while a link works", async () => {
  const here = createBrowser(config.authUrl);
  const statuses: number[] = [];
  for (let n = 0; n < 3; n++) statuses.push((await forget("eve@reset.example", here)).status);
  expect(statuses).toEqual([200, 200, 429]);
  expect((await forget("frank@reset.example", here)).status).toBe(200);
  // So while a link is refused, one that was mailed before works.
  const [{ ms } = {}] = await sql(`select max(expire) - extract(epoch from now()) * 1000 as ms
    from identity.throttle where key like 'reset-address%'`);
  expect(Number(ms)).toBeLessThanOrEqual(30 * 60_000);
});

test("a server without mail says who can help", async () => {
  const browser = createBrowser((await useIdentity()).config.authUrl);
  expect((await browser.open("/sign-in")).text).toContain("/forgot-password");
  expect((await browser.open("/forgot-password")).text).toContain("npm run admin -- owner");
});

const refusals = (email: string) => ({
  qwertyuiop: "Many people use this password",
  Password123: "Many people use this password",
  [email]: "Your address and the name of this server are guessed first",
  "kept-kept-kept": "Your address and the name of this server are guessed first",
  "too short": "Use at least 10 characters",
});

test("a guessable password is refused with the next step, wherever a password is chosen, and the old one stays", async () => {
  const email = "ada.lovelace@guessable.example";
  async function expectRefusals(browser: Browser, page: Page, name: string, more = {}) {
    for (const [password, reason] of Object.entries(refusals(email))) {
      const action = new URL(page.url).pathname.replace("/profile", "/profile/password");
      const { status, text } = await browser.submit(page, action, { ...more, [name]: password });
      expect([password, status]).toEqual([password, 422]);
      expect(text).toContain(reason);
      if (!reason.includes("10"))
        expect(text).toContain("Take a few words in a row that nobody connects with you.");
    }
  }
  const stranger = newBrowser();
  await expectRefusals(stranger, await stranger.open("/sign-up"), "password", { email });
  expect(mailsTo(email, "")).toBe(0);

  const browser = await join(email);
  const hashOf = () => sql(`select password_hash from identity.accounts where email = '${email}'`);
  const before = await hashOf();
  await expectRefusals(browser, await browser.open("/profile"), "new_password", { password: oldPassword });
  await expectRefusals(stranger, await stranger.open(await askForLink(email)), "password");
  expect(await hashOf()).toEqual(before);
});
