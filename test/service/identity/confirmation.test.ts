import { expect, test } from "bun:test";
import { type Browser, createBrowser } from "../../support/identity/browser.ts";
import { signInElsewhere } from "../../support/identity/relying-party.ts";
import {
  changePassword,
  newestLink,
  password,
  signedUp,
  signedUpByMail,
  signIn,
  startTestIdentity,
  useIdentity,
  useIdentityWithMail,
} from "../../support/identity/support.ts";
import { eventually } from "../../support/reminder/stack.ts";

const confirmPath = "/profile/email/confirm";
const { mailbox, identity } = await useIdentityWithMail();
const { config, sql } = identity;

const mailsTo = (email: string) => mailbox.mails.filter(({ to }) => to.includes(email));
const join = (email: string) => signedUpByMail(config, mailbox, email);

/** An account from before mail was set up here. */
async function joinUnconfirmed(email: string): Promise<Browser> {
  const browser = await join(email);
  await sql(`update identity.accounts set email_verified_at = null where email = '${email}'`);
  return browser;
}

const sendLink = async (browser: Browser) =>
  browser.submit(await browser.open("/profile"), "/profile/email/link", {});

/** Asks for a link to the present address. */
async function linkOf(browser: Browser, email: string): Promise<string> {
  await sendLink(browser);
  return newestLink(mailbox, email);
}

const changeAddress = async (browser: Browser, email: string) =>
  browser.submit(await browser.open("/profile"), "/profile/email", { email });

const confirm = async (browser: Browser, link: string) =>
  browser.submit(await browser.open(link), confirmPath, {});

async function addressOf(browser: Browser): Promise<[address: string | undefined, isVerified: boolean]> {
  const { text } = await browser.open("/profile");
  return [/signed in as <strong>([^<]+)</.exec(text)?.[1], text.includes("is confirmed.")];
}

async function signedUpPage(email: string) {
  const browser = createBrowser(config.authUrl);
  return browser.submit(await browser.open("/sign-up"), "/sign-up", { email, password });
}

test("signing up mails a link from MAIL_FROM, and makes no account before it is used with the password", async () => {
  const email = "ada@confirm.example";
  const browser = await signedUp(config, email);
  expect(await sql(`select from identity.accounts where email = '${email}'`)).toEqual([]);
  const [mail, ...more] = mailsTo(email);
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ from: "kept@example.net", to: [email] });
  const link = newestLink(mailbox, email);
  expect(link).toStartWith(`${config.authUrl}/sign-up/finish?token=`);
  expect(mail?.source.split(/Content-Type: text\/html/)[1]).toContain(`<a href="${link}">`);

  const page = await browser.open(link);
  const finish = (secret: string) => browser.submit(page, "/sign-up/finish", { password: secret });
  expect((await finish("a stranger's guess")).status).toBe(422);
  await finish(password);
  expect(await addressOf(browser)).toEqual([email, true]);
  expect((await browser.open(link)).status).toBe(410);
});

test("neither sign-up nor a change of address tells whether an address has an account", async () => {
  const bea = "bea@confirm.example";
  await join(bea);
  const signUp = async (email: string) => {
    const { text, status } = await signedUpPage(email);
    return { status, text: text.replaceAll(email, "").replace(/name="csrf" value="[^"]+"/g, "") };
  };
  expect(await signUp(bea)).toEqual(await signUp("nobody@confirm.example"));
  const told = () => mailsTo(bea).filter(({ source }) => source.includes("has one already")).length;
  expect(told()).toBe(1);

  const browser = await join("cleo@confirm.example");
  const taken = await changeAddress(browser, bea);
  expect(taken.url).toBe((await changeAddress(browser, "free@confirm.example")).url);
  expect(told()).toBe(2);
  expect(await addressOf(browser)).toEqual(["cleo@confirm.example", true]);
});

test("an address is nobody's until its link is used: a stranger's sign-up does not occupy it", async () => {
  const eve = await signedUp(config, "victim@confirm.example");
  const stale = newestLink(mailbox, "victim@confirm.example");
  const [address] = await addressOf(await join("victim@confirm.example"));
  expect(address).toBe("victim@confirm.example");
  expect((await eve.open(stale)).status).toBe(410);
});

test("opening the link confirms nothing, its button does, and once; ID token and userinfo say it", async () => {
  const email = "dora@confirm.example";
  const browser = await joinUnconfirmed(email);
  const isToldVerified = async () => {
    const { claims, told } = await signInElsewhere(config, browser);
    return [claims?.email_verified, told.email_verified];
  };
  expect(await isToldVerified()).toEqual([false, false]);
  const page = await browser.open(await linkOf(browser, email));
  expect(page.text).toContain(`Is <strong>${email}</strong> your address?`);
  expect(await addressOf(browser)).toEqual([email, false]);
  const done = await browser.submit(page, confirmPath, {});
  expect(done.text).toContain("Your e-mail address is confirmed.");
  expect(await addressOf(browser)).toEqual([email, true]);
  expect(await isToldVerified()).toEqual([true, true]);
  expect((await browser.submit(page, confirmPath, {})).status).toBe(410);
});

test("a link opens nothing for strangers, for other accounts and without the page's own form", async () => {
  const browser = await joinUnconfirmed("fay@confirm.example");
  const link = await linkOf(browser, "fay@confirm.example");
  const scanner = await fetch(link, { redirect: "manual" });
  expect(scanner.headers.get("location")).toStartWith("/sign-in?next=");
  const other = await joinUnconfirmed("other@confirm.example");
  expect((await other.open(link)).status).toBe(410);

  const page = await browser.open(link);
  expect((await browser.submit(page, confirmPath, { csrf: "forged" })).status).toBe(403);
  const token = new URL(link).searchParams.get("token") ?? "";
  const own = await other.open(await linkOf(other, "other@confirm.example"));
  expect((await other.submit(own, confirmPath, { token })).status).toBe(410);
  expect(await addressOf(browser)).toEqual(["fay@confirm.example", false]);
});

test("a link works for 24 hours, and only its hash is stored", async () => {
  const browser = await joinUnconfirmed("gil@confirm.example");
  const link = await linkOf(browser, "gil@confirm.example");
  const hash = new Bun.CryptoHasher("sha256").update(link.split("token=")[1] ?? "").digest("hex");
  const here = `where encode(token_hash, 'hex') = '${hash}'`;
  const hours = "round(extract(epoch from expires_at - now()) / 3600)::int as hours";
  expect(await sql(`select ${hours} from identity.email_confirmations ${here}`)).toEqual([{ hours: 24 }]);
  const page = await browser.open(link);
  await sql(`update identity.email_confirmations set expires_at = now() ${here}`);
  expect((await browser.open(link)).status).toBe(410);
  expect((await browser.submit(page, confirmPath, {})).status).toBe(410);
});

test("another address counts when its link is used; then the old one is told and reminders go to the new one", async () => {
  const browser = await join("hal@confirm.example");
  const asked = await changeAddress(browser, " Hal@Confirm.Example.com ");
  expect(asked.text).toContain("Your address changes when you use it.");
  expect(await addressOf(browser)).toEqual(["hal@confirm.example", true]);
  const email = "hal@confirm.example.com";
  await confirm(browser, newestLink(mailbox, email));
  expect(await addressOf(browser)).toEqual([email, true]);
  const isTold = () => mailsTo("hal@confirm.example").at(-1)?.source.includes("has another e-mail address");
  await eventually(isTold);
  const news = { userId: expect.any(String), name: "user.configure", input: { email } };
  expect(identity.news).toContainEqual(news as never);
});

test("only the newest link of an account works", async () => {
  const browser = await join("ian@confirm.example");
  await changeAddress(browser, "ian@confirm.example.com");
  const page = await browser.open(newestLink(mailbox, "ian@confirm.example.com"));
  await changeAddress(browser, "ian@confirm.example.net");
  expect((await browser.submit(page, confirmPath, {})).status).toBe(410);
  expect(await addressOf(browser)).toEqual(["ian@confirm.example", true]);
});

test("the same address, or what is not exactly one address, is refused", async () => {
  const browser = await join("joe@confirm.example");
  for (const odd of ["joe@confirm.example", "nobody", "x,ada@example.org", '"x y"@example.org'])
    expect((await changeAddress(browser, odd)).status).toBe(422);
});

test("the sixth mail in an hour is refused, for one account as for one address", async () => {
  const email = "kim@confirm.example";
  const browser = await joinUnconfirmed(email);
  for (let mail = 2; mail <= 5; mail++) expect((await sendLink(browser)).text).toContain("is on its way");
  const refused = await sendLink(browser);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await signedUpPage(email)).status).toBe(503);
  expect(mailsTo(email)).toHaveLength(5);
});

test("a new password is told to the account's address, also when its mails are used up", async () => {
  const email = "lea@confirm.example";
  const browser = await join(email);
  for (let mail = 1; mail <= 6; mail++) await changeAddress(browser, `lea${mail}@confirm.example`);
  const { browser: elsewhere } = await signIn(config, email);
  await changePassword(browser, { new_password: "another long one" });
  expect((await elsewhere.open("/profile")).url).toContain("/sign-in");
  expect((await signIn(config, email, "another long one")).page.url).toEndWith("/profile");
  const told = "password of your account of Kept was changed";
  await eventually(() => mailsTo(email).at(-1)?.source.includes(told));
});

test("where no mail is sent every account stays unconfirmed, and another address counts at once and ends reminders to the old one", async () => {
  const silent = await useIdentity();
  const browser = await signedUp(silent.config, "max@confirm.example");
  const { text } = await browser.open("/profile");
  expect(text).toContain("Mail isn’t set up on this server");
  expect(text).not.toContain("Send a confirmation link");
  const both = `email in ('max@confirm.example', '${silent.owner.email}')`;
  const rows = await silent.sql(`select email_verified_at from identity.accounts where ${both}`);
  expect(rows).toEqual([{ email_verified_at: null }, { email_verified_at: null }]);
  const changed = await changeAddress(browser, "mia@confirm.example");
  expect(changed.text).toContain("Reminders by e-mail stop until it is confirmed");
  expect(await addressOf(browser)).toEqual(["mia@confirm.example", false]);
  const news = { userId: expect.any(String), name: "user.configure", input: { email: null } };
  expect(silent.news).toContainEqual(news as never);
  expect((await changeAddress(browser, silent.owner.email)).status).toBe(422);
});

test("when the SMTP server is away, sign-up says what is wrong, and so does the button", async () => {
  const broken = await startTestIdentity({ SMTP_URL: "smtp://127.0.0.1:1" });
  const stranger = createBrowser(broken.config.authUrl);
  const signUp = { email: "ned@confirm.example", password };
  const refused = await stranger.submit(await stranger.open("/sign-up"), "/sign-up", signUp);
  expect(refused.status).toBe(503);
  const { browser } = await signIn(broken.config, broken.owner.email, broken.owner.password);
  const answer = await sendLink(browser);
  expect([answer.status, answer.text]).toEqual([503, expect.stringContaining("The mail could not be sent.")]);
  await broken.stop();
});
