import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Mailbox, startMailbox } from "../support/mailbox.ts";
import type { Browser } from "./browser.ts";
import { signInToService } from "./relying-party.ts";
import { signedUp, startTestIdentity, type TestIdentity } from "./support.ts";

const confirmPath = "/profile/email/confirm";
const password = "correct horse battery";

let mailbox: Mailbox;
let identity: TestIdentity;
beforeAll(async () => {
  mailbox = await startMailbox();
  identity = await startTestIdentity({ SMTP_URL: mailbox.url, MAIL_FROM: "Kept <kept@example.net>" });
});
afterAll(async () => {
  await identity.stop();
  await mailbox.stop();
});

const mailsTo = (email: string) => mailbox.mails.filter(({ to }) => to.includes(email));
const linkIn = (source = "") => /http\S+token=[\w-]{43}/.exec(source)?.[0] ?? "no link";
const newestLink = (email: string) => linkIn(mailsTo(email).at(-1)?.source);

async function isVerified(browser: Browser): Promise<boolean> {
  return (await browser.open("/profile")).text.includes("is confirmed.");
}

async function confirm(browser: Browser, link: string): Promise<void> {
  await browser.submit(await browser.open(link), confirmPath, {});
}

async function changeAddress(browser: Browser, email: string, secret = password) {
  return browser.submit(await browser.open("/profile"), "/profile/email", { email, password: secret });
}

test("signing up mails a link in plain text and HTML, from MAIL_FROM to the new address alone", async () => {
  await signedUp(identity.config, "ada@example.org");
  const [mail, ...more] = mailsTo("ada@example.org");
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ from: "kept@example.net", to: ["ada@example.org"] });
  const [, text = "", html = ""] = mail?.source.split(/Content-Type: text\/(?:plain|html)/) ?? [];
  expect(linkIn(text)).toStartWith(`${identity.config.authUrl}${confirmPath}?token=`);
  expect(html).toContain(`<a href="${linkIn(text)}">`);
});

test("opening the link confirms nothing, its button does, and once", async () => {
  const browser = await signedUp(identity.config, "bea@example.org");
  const link = newestLink("bea@example.org");
  const page = await browser.open(link);
  expect(page.text).toContain("Is <strong>bea@example.org</strong> your address?");
  expect(await isVerified(browser)).toBe(false);
  const done = await browser.submit(page, confirmPath, {});
  expect(done.text).toContain("Your e-mail address is confirmed.");
  expect(await isVerified(browser)).toBe(true);
  expect((await browser.submit(page, confirmPath, {})).status).toBe(410);
  expect((await browser.open(link)).url).toEndWith("/profile?done=confirmed");
});

test("ID token and userinfo say whether the address is confirmed", async () => {
  const browser = await signedUp(identity.config, "cleo@example.org");
  const before = await signInToService(identity.config, browser);
  expect([before.claims?.email_verified, before.told.email_verified]).toEqual([false, false]);
  await confirm(browser, newestLink("cleo@example.org"));
  const after = await signInToService(identity.config, browser);
  expect([after.claims?.email_verified, after.told.email_verified]).toEqual([true, true]);
});

test("a link opens nothing for strangers, for other accounts and without the page's own form", async () => {
  const browser = await signedUp(identity.config, "dora@example.org");
  const link = newestLink("dora@example.org");
  const scanner = await fetch(link, { redirect: "manual" });
  expect(scanner.headers.get("location")).toStartWith("/sign-in?next=");
  const other = await signedUp(identity.config);
  expect((await other.open(link)).status).toBe(410);

  const page = await browser.open(link);
  expect((await browser.submit(page, confirmPath, { csrf: "forged" })).status).toBe(403);
  const token = new URL(link).searchParams.get("token") ?? "";
  const own = await other.open(newestLink(String((await otherAddress(other)) ?? "")));
  expect((await other.submit(own, confirmPath, { token })).status).toBe(410);
  expect(await isVerified(browser)).toBe(false);
});

async function otherAddress(browser: Browser): Promise<string | undefined> {
  return /signed in as <strong>([^<]+)</.exec((await browser.open("/profile")).text)?.[1];
}

test("a link works for 24 hours, and only its hash is stored", async () => {
  const browser = await signedUp(identity.config, "elsa@example.org");
  const link = newestLink("elsa@example.org");
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

test("changing the address asks for the password, resets the state and mails the new address", async () => {
  const browser = await signedUp(identity.config, "fay@example.org");
  const oldLink = newestLink("fay@example.org");
  await confirm(browser, oldLink);
  expect((await changeAddress(browser, "fay@example.com", "wrong")).status).toBe(422);
  expect(await isVerified(browser)).toBe(true);

  const changed = await changeAddress(browser, " Fay@Example.com ");
  expect(changed.text).toContain("Your e-mail address is changed. A confirmation link is on its way.");
  expect(await isVerified(browser)).toBe(false);
  await confirm(browser, newestLink("fay@example.com"));
  expect(await isVerified(browser)).toBe(true);
});

test("a link for an address given up confirms nothing", async () => {
  const browser = await signedUp(identity.config, "gil@example.org");
  const page = await browser.open(newestLink("gil@example.org"));
  await changeAddress(browser, "gil@example.com");
  expect((await browser.submit(page, confirmPath, {})).status).toBe(410);
  expect(await isVerified(browser)).toBe(false);
});

test("an address that is taken, the same or more than one address is refused", async () => {
  const browser = await signedUp(identity.config, "hal@example.org");
  for (const odd of [
    "hal@example.org",
    identity.owner.email,
    "nobody",
    "x,ada@example.org",
    '"x y"@example.org',
  ]) {
    expect((await changeAddress(browser, odd)).status).toBe(422);
  }
  expect(await otherAddress(browser)).toBe("hal@example.org");
});

test("the sixth mail in an hour is refused, for one account as for one address", async () => {
  const browser = await signedUp(identity.config, "ida@example.org");
  const send = async () => browser.submit(await browser.open("/profile"), "/profile/email/link", {});
  for (let mail = 2; mail <= 5; mail++) expect((await send()).text).toContain("is on its way");
  const refused = await send();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);

  expect((await changeAddress(browser, "ida@example.com")).text).not.toContain("is on its way");
  expect(mailsTo("ida@example.com")).toEqual([]);
  await signedUp(identity.config, "ida@example.org");
  expect(mailsTo("ida@example.org")).toHaveLength(5);
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

test("when the SMTP server is away, sign-up works and the button says what is wrong", async () => {
  const broken = await startTestIdentity({ SMTP_URL: "smtp://127.0.0.1:1" });
  const browser = await signedUp(broken.config);
  const answer = await browser.submit(await browser.open("/profile"), "/profile/email/link", {});
  expect(answer.status).toBe(503);
  expect(answer.text).toContain("The mail could not be sent.");
  await broken.stop();
});
