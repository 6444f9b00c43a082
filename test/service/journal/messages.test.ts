import { expect, test } from "bun:test";
import { events } from "../../../shared/domain/journal/events.ts";
import { createBrowser } from "../../support/identity/browser.ts";
import {
  changePassword,
  isSignedIn,
  newestLink,
  setCount,
  signedUpByMail,
  signIn as signInAt,
  tokenByForm,
  useIdentityWithMail,
} from "../../support/identity/support.ts";
import { eventually } from "../../support/reminder/stack.ts";

const { mailbox, identity } = await useIdentityWithMail();

const sql = (statement: string) => identity.sql(statement);
const joined = (email: string) => signedUpByMail(identity.config, mailbox, email);
const signIn = (email: string, secret?: string, browser = createBrowser(identity.config.authUrl)) =>
  signInAt(identity.config, email, secret, browser);
const mailsTo = (email: string, words = "") =>
  mailbox.mails.filter(({ to, source }) => to.includes(email) && source.includes(words));
const areSent = (user: string) =>
  eventually(
    async () =>
      (await sql(`select from identity.notices where account_id = '${user}' and sent_at is null`)).length ===
      0,
  );

async function idOf(email: string): Promise<string> {
  return String((await sql(`select id from identity.accounts where email = '${email}'`))[0]?.id);
}

const rowsOf = (user: string, kind: string) =>
  sql(`select number, details from journal where user_id = '${user}' and kind = '${kind}' order by number`);

/** Waits for a message, and returns the links in it. */
async function linksAbout(email: string, words: string): Promise<string[]> {
  const mail = await eventually(() => mailsTo(email, words)[0]);
  const [text = ""] = mail.source.split("Content-Type: text/html");
  return text.match(/http\S+\/not-me\?token=[\w-]{43}/g) ?? [];
}

async function press(link: string) {
  const browser = createBrowser(identity.config.authUrl);
  return browser.submit(await browser.open(link), "/not-me", {});
}

test("a message about a new token ends it by one button, once; opening the link ends nothing", async () => {
  const browser = await joined("ada@journal.example");
  const token = await tokenByForm(browser, "Script");
  const [link = "no link", ...others] = await linksAbout("ada@journal.example", "A new token for Kept");
  expect(others).toEqual([]);
  const stranger = createBrowser(identity.config.authUrl);
  const shown = await stranger.open(link);
  expect(shown.text).toContain("The token “Script” was made");
  expect(shown.headers.get("referrer-policy")).toBe("strict-origin");
  expect(await identity.introspect(token)).toMatchObject({ active: true });
  expect((await press(link)).text).toContain("It has ended");
  expect(await identity.introspect(token)).toMatchObject({ active: false });
  expect((await stranger.open(link)).status).toBe(410);
  const forged = `${link.slice(0, -2)}AA`;
  expect((await stranger.open(forged)).status).toBe(410);
});

test("a sign-in in a new browser is told and ended from the mail; one in a known browser is not told", async () => {
  const email = "bea@journal.example";
  const known = await joined(email);
  await known.submit(await known.open("/profile"), "/account/sign-out", {});
  await signIn(email, undefined, known);
  const { browser: stranger } = await signIn(email);
  const [link = "no link"] = await linksAbout(email, "A new browser signed in to Kept");
  await press(link);
  expect([await isSignedIn(stranger), await isSignedIn(known)]).toEqual([false, true]);
  expect(mailsTo(email, "A new browser signed in")).toHaveLength(1);
});

test("a link works for seven days", async () => {
  const email = "cid@journal.example";
  await tokenByForm(await joined(email), "Script");
  const [link = "no link"] = await linksAbout(email, "A new token");
  await sql(`update identity.notices set at = now() - interval '7 days' where email = '${email}'`);
  expect((await createBrowser(identity.config.authUrl).open(link)).status).toBe(410);
});

test("whoever took an account over loses it again: the former address takes it back by its mail", async () => {
  const email = "dan@journal.example";
  const thief = await joined(email);
  const user = await idOf(email);
  const change = { email: "thief@journal.example" };
  await thief.submit(await thief.open("/profile"), "/profile/email", change);
  const page = await thief.open(newestLink(mailbox, "thief@journal.example"));
  await thief.submit(page, "/profile/email/confirm", {});
  await changePassword(thief, { new_password: "known to the thief" });
  const [back = "no link"] = await linksAbout("thief@journal.example", "was changed");
  const [link = "no link"] = await linksAbout(email, "has another e-mail address");
  await press(link);
  expect(await idOf(email)).toBe(user);
  expect(await isSignedIn(thief)).toBe(false);
  await eventually(() => mailsTo(email, "/reset-password?token=")[0]);
  expect((await createBrowser(identity.config.authUrl).open(back)).status).toBe(410);
});

test("many tokens in an hour are many rows at most, and few mails, of which the last tells of all the others", async () => {
  const email = "eve@journal.example";
  const browser = await joined(email);
  const user = await idOf(email);
  const append = `journal_append('${user}', 'token_made', '{}', 20, '${events.token_made.period}')`;
  await sql(`select ${append} from generate_series(1, 18)`);
  await setCount(identity, `notice:${user}`, 8);
  const later = `account_id = '${user}' and sent_at is null and next_at > now() + interval '5 minutes'`;
  const waiting = async () => (await sql(`select from identity.notices where ${later}`)).length;
  for (let n = 1; n <= 5; n++) {
    await tokenByForm(browser, `Token ${n}`);
    // Messages that wait at the same time would leave in one mail.
    await (n <= 2 ? areSent(user) : eventually(async () => (await waiting()) === n - 2));
  }
  expect(await rowsOf(user, "token_made")).toHaveLength(20);
  await sql(`update journal_counts set until = now() where user_id = '${user}'`);
  const closed = await sql("select * from journal_close(1000)");
  expect(closed).toContainEqual({ user_id: user, kind: "token_made", times: "3" });
  const rows = await rowsOf(user, "token_made");
  expect(rows).toHaveLength(21);
  expect(rows.at(-1)?.details).toMatchObject({ times: 3 });
  expect(await sql(`select from journal_counts where user_id = '${user}'`)).toEqual([]);

  expect(mailsTo(email, "A new token")).toHaveLength(2);
  await sql(`delete from identity.throttle where key = 'notice:${user}'`);
  await sql(`update identity.notices set next_at = now() where ${later}`);
  await areSent(user);
  const [last, ...more] = mailsTo(email, "3 changes of your account of Kept");
  expect(more).toEqual([]);
  for (const n of [3, 4, 5]) expect(last?.source).toContain(`Token ${n}`);
});

test("wrong passwords are told to a known account once an hour with their number, and to nobody else", async () => {
  const email = "fay@journal.example";
  await joined(email);
  const user = await idOf(email);
  const accounts = "select distinct user_id from journal where kind = 'sign_in_failed'";
  const before = (await sql(accounts)).length;
  for (let n = 0; n < 4; n++) await signIn(email, "a wrong password");
  await signIn("nobody@journal.example", "a wrong password");
  const counted = `select times from journal_counts where user_id = '${user}' and kind = 'sign_in_failed'`;
  await eventually(async () => (await sql(counted))[0]?.times === "4");
  expect(await rowsOf(user, "sign_in_failed")).toHaveLength(1);
  expect(await sql("select from journal where kind = 'sign_in_failed' and details->>'way' is null")).toEqual(
    [],
  );
  expect((await sql(accounts)).length).toBe(before + 1);
});

test("when the mail server refuses, the message waits, and comes once when it takes mail again", async () => {
  const email = "gus@journal.example";
  const browser = await joined(email);
  await sql(`update identity.accounts set email = 'gus at nowhere' where email = '${email}'`);
  await tokenByForm(browser, "Script");
  const tried = "email = 'gus at nowhere' and attempts > 0 and sent_at is null";
  await eventually(async () => (await sql(`select from identity.notices where ${tried}`))[0]);
  await sql(`update identity.notices set email = '${email}', next_at = now() where email = 'gus at nowhere'`);
  await eventually(() => mailsTo(email, "A new token")[0]);
  await areSent(await idOf(email));
  expect(mailsTo(email, "A new token")).toHaveLength(1);
});

test("rows go after 400 days, and no others", async () => {
  const user = await idOf("ada@journal.example");
  const before = await sql(`select number from journal where user_id = '${user}' order by number`);
  await sql(`update journal set at = now() - interval '401 days' where number = ${before[0]?.number}`);
  expect(await sql("select journal_drop(100)")).toEqual([{ journal_drop: "1" }]);
  expect(await sql(`select number from journal where user_id = '${user}' order by number`)).toEqual(
    before.slice(1),
  );
});
