import { expect, test } from "bun:test";
import { type Browser, createBrowser } from "../../support/identity/browser.ts";
import { signInToService } from "../../support/identity/relying-party.ts";
import { newestLink, signedUp, signedUpByMail, startTestIdentity } from "../../support/identity/support.ts";
import { startIdentityWithMail } from "../../support/identity/with-mail.ts";
import { eventually } from "../../support/reminder/stack.ts";

const confirmPath = "/profile/email/confirm";
const password = "correct horse battery";

const { mailbox, identity } = await startIdentityWithMail({ MAIL_FROM: "Kept <kept@example.net>" });

const mailsTo = (email: string) => mailbox.mails.filter(({ to }) => to.includes(email));
const join = (email: string) => signedUpByMail(identity.config, mailbox, email);

/** An account from before mail was set up here. */
async function joinUnconfirmed(email: string): Promise<Browser> {
  const browser = await join(email);
  await identity.sql(`update identity.accounts set email_verified_at = null where email = '${email}'`);
  return browser;
}

const sendLink = async (browser: Browser) =>
  browser.submit(await browser.open("/profile"), "/profile/email/link", {});

async function isVerified(browser: Browser): Promise<boolean> {
  return (await browser.open("/profile")).text.includes("is confirmed.");
}

async function confirm(browser: Browser, link: string): Promise<void> {
  await browser.submit(await browser.open(link), confirmPath, {});
}

async function changeAddress(browser: Browser, email: string) {
  return browser.submit(await browser.open("/profile"), "/profile/email", { email });
}

async function addressOf(browser: Browser): Promise<string | undefined> {
  return /signed in as <strong>([^<]+)</.exec((await browser.open("/profile")).text)?.[1];
}

test("signing up mails a link from MAIL_FROM, and makes no account before it is used with the password", async () => {
  const browser = await signedUp(identity.config, "ada@example.org");
  expect(await identity.sql("select from identity.accounts where email = 'ada@example.org'")).toEqual([]);
  const [mail, ...more] = mailsTo("ada@example.org");
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ from: "kept@example.net", to: ["ada@example.org"] });
  const link = newestLink(mailbox, "ada@example.org");
  expect(link).toStartWith(`${identity.config.authUrl}/sign-up/finish?token=`);
  expect(mail?.source.split(/Content-Type: text\/html/)[1]).toContain(`<a href="${link}">`);

  const page = await browser.open(link);
  const wrong = await browser.submit(page, "/sign-up/finish", { password: "a stranger's guess" });
  expect(wrong.status).toBe(422);
  await browser.submit(page, "/sign-up/finish", { password });
  expect(await isVerified(browser)).toBe(true);
  expect((await browser.open(link)).status).toBe(410);
});

test("neither sign-up nor a change of address tells whether an address has an account", async () => {
  await join("bea@example.org");
  const signUp = async (email: string) => {
    const { text, status } = await signedUpPage(email);
    return { status, text: text.replaceAll(email, "").replace(/name="csrf" value="[^"]+"/g, "") };
  };
  expect(await signUp("bea@example.org")).toEqual(await signUp("nobody@example.org"));
  expect(mailsTo("bea@example.org").at(-1)?.source).toContain("has one already");

  const browser = await join("cleo@example.org");
  const taken = await changeAddress(browser, "bea@example.org");
  expect(taken.url).toBe((await changeAddress(browser, "free@example.org")).url);
  expect(mailsTo("bea@example.org").at(-1)?.source).toContain("has one already");
  expect(await addressOf(browser)).toBe("cleo@example.org");
});

async function signedUpPage(email: string) {
  const browser = createBrowser(identity.config.authUrl);
  return browser.submit(await browser.open("/sign-up"), "/sign-up", { email, password });
}

test("an address is nobody's until its link is used: a stranger's sign-up does not occupy it", async () => {
  const eve = await signedUp(identity.config, "victim@example.org");
  const stale = newestLink(mailbox, "victim@example.org");
  expect(await addressOf(await join("victim@example.org"))).toBe("victim@example.org");
  expect((await eve.open(stale)).status).toBe(410);
});

test("opening the link confirms nothing, its button does, and once", async () => {
  const browser = await joinUnconfirmed("dora@example.org");
  await sendLink(browser);
  const link = newestLink(mailbox, "dora@example.org");
  const page = await browser.open(link);
  expect(page.text).toContain("Is <strong>dora@example.org</strong> your address?");
  expect(await isVerified(browser)).toBe(false);
  const done = await browser.submit(page, confirmPath, {});
  expect(done.text).toContain("Your e-mail address is confirmed.");
  expect(await isVerified(browser)).toBe(true);
  expect((await browser.submit(page, confirmPath, {})).status).toBe(410);
});

test("ID token and userinfo say whether the address is confirmed", async () => {
  const browser = await joinUnconfirmed("elsa@example.org");
  const before = await signInToService(identity.config, browser);
  expect([before.claims?.email_verified, before.told.email_verified]).toEqual([false, false]);
  await sendLink(browser);
  await confirm(browser, newestLink(mailbox, "elsa@example.org"));
  const after = await signInToService(identity.config, browser);
  expect([after.claims?.email_verified, after.told.email_verified]).toEqual([true, true]);
});

test("a link opens nothing for strangers, for other accounts and without the page's own form", async () => {
  const browser = await joinUnconfirmed("fay@example.org");
  await sendLink(browser);
  const link = newestLink(mailbox, "fay@example.org");
  const scanner = await fetch(link, { redirect: "manual" });
  expect(scanner.headers.get("location")).toStartWith("/sign-in?next=");
  const other = await joinUnconfirmed("other@example.org");
  expect((await other.open(link)).status).toBe(410);

  const page = await browser.open(link);
  expect((await browser.submit(page, confirmPath, { csrf: "forged" })).status).toBe(403);
  const token = new URL(link).searchParams.get("token") ?? "";
  await sendLink(other);
  const own = await other.open(newestLink(mailbox, "other@example.org"));
  expect((await other.submit(own, confirmPath, { token })).status).toBe(410);
  expect(await isVerified(browser)).toBe(false);
});

test("a link works for 24 hours, and only its hash is stored", async () => {
  const browser = await joinUnconfirmed("gil@example.org");
  await sendLink(browser);
  const link = newestLink(mailbox, "gil@example.org");
  const hash = new Bun.CryptoHasher("sha256").update(link.split("token=")[1] ?? "").digest("hex");
  const here = `where encode(token_hash, 'hex') = '${hash}'`;
  const [row] = await identity.sql(
    `select round(extract(epoch from expires_at - now()) / 3600)::int as hours
     from identity.email_confirmations ${here}`,
  );
  expect(row).toEqual({ hours: 24 });
  const page = await browser.open(link);
  await identity.sql(`update identity.email_confirmations set expires_at = now() ${here}`);
  expect((await browser.open(link)).status).toBe(410);
  expect((await browser.submit(page, confirmPath, {})).status).toBe(410);
});

test("another address counts when its link is used; then the old one is told and reminders go to the new one", async () => {
  const browser = await join("hal@example.org");
  const asked = await changeAddress(browser, " Hal@Example.com ");
  expect(asked.text).toContain("Your address changes when you use it.");
  expect(await addressOf(browser)).toBe("hal@example.org");
  const sent = mailsTo("hal@example.org").length;

  await confirm(browser, newestLink(mailbox, "hal@example.com"));
  expect(await addressOf(browser)).toBe("hal@example.com");
  expect(await isVerified(browser)).toBe(true);
  await eventually(() => mailsTo("hal@example.org").length > sent);
  expect(mailsTo("hal@example.org").at(-1)?.source).toContain("has another e-mail address");
  const input = { email: "hal@example.com" };
  expect(identity.news).toContainEqual({ userId: expect.any(String), name: "user.configure", input });
});

test("only the newest link of an account works", async () => {
  const browser = await join("ian@example.org");
  await changeAddress(browser, "ian@example.com");
  const page = await browser.open(newestLink(mailbox, "ian@example.com"));
  await changeAddress(browser, "ian@example.net");
  expect((await browser.submit(page, confirmPath, {})).status).toBe(410);
  expect(await addressOf(browser)).toBe("ian@example.org");
});

test("the same address, or what is not exactly one address, is refused", async () => {
  const browser = await join("joe@example.org");
  for (const odd of ["joe@example.org", "nobody", "x,ada@example.org", '"x y"@example.org']) {
    expect((await changeAddress(browser, odd)).status).toBe(422);
  }
});

test("the sixth mail in an hour is refused, for one account as for one address", async () => {
  const browser = await joinUnconfirmed("kim@example.org");
  for (let mail = 2; mail <= 5; mail++) expect((await sendLink(browser)).text).toContain("is on its way");
  const refused = await sendLink(browser);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await signedUpPage("kim@example.org")).status).toBe(503);
  expect(mailsTo("kim@example.org")).toHaveLength(5);
});

test("a new password is told to the account's address, also when its mails are used up", async () => {
  const browser = await join("lea@example.org");
  for (let mail = 1; mail <= 6; mail++) await changeAddress(browser, `lea${mail}@example.org`);
  const change = { password, new_password: "another long one" };
  await browser.submit(await browser.open("/profile"), "/profile/password", change);
  const told = "password of your account of Kept was changed";
  await eventually(() => mailsTo("lea@example.org").at(-1)?.source.includes(told));
});

test("where no mail is sent another address counts at once, and reminders to the old one end", async () => {
  const silent = await startTestIdentity();
  const browser = await signedUp(silent.config);
  const changed = await changeAddress(browser, "mia@example.com");
  expect(changed.text).toContain("Reminders by e-mail stop until it is confirmed");
  expect(await addressOf(browser)).toBe("mia@example.com");
  const input = { email: null };
  expect(silent.news).toContainEqual({ userId: expect.any(String), name: "user.configure", input });
  expect((await changeAddress(browser, silent.owner.email)).status).toBe(422);
  await silent.stop();
});

test("without SMTP_URL the page says so and every account stays unconfirmed, the owner's too", async () => {
  const silent = await startTestIdentity();
  const browser = await signedUp(silent.config);
  const { text } = await browser.open("/profile");
  expect(text).toContain("Mail isn’t set up on this server");
  expect(text).not.toContain("Send a confirmation link");
  expect(await silent.sql("select email_verified_at from identity.accounts")).toEqual([
    { email_verified_at: null },
    { email_verified_at: null },
  ]);
  await silent.stop();
});

test("when the SMTP server is away, sign-up says what is wrong, and so does the button", async () => {
  const broken = await startTestIdentity({ SMTP_URL: "smtp://127.0.0.1:1" });
  const browser = createBrowser(broken.config.authUrl);
  const signUp = { email: "ned@example.org", password };
  const refused = await browser.submit(await browser.open("/sign-up"), "/sign-up", signUp);
  expect(refused.status).toBe(503);
  const { email, password: secret } = broken.owner;
  await browser.submit(await browser.open("/sign-in"), "/sign-in", { email, password: secret });
  const answer = await sendLink(browser);
  expect(answer.status).toBe(503);
  expect(answer.text).toContain("The mail could not be sent.");
  await broken.stop();
});
