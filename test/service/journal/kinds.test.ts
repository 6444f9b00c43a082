import { expect, test } from "bun:test";
import pino from "pino";
import { type EventName, events } from "../../../shared/domain/journal/events.ts";
import { createAuthenticator, partsIn } from "../../support/identity/authenticator.ts";
import { type Browser, createBrowser } from "../../support/identity/browser.ts";
import {
  connect,
  newestLink,
  password,
  registerApp,
  signedUpByMail,
  signIn as signInAt,
  tokenByForm,
} from "../../support/identity/support.ts";
import { exportFile } from "../../support/pages/staged-import.ts";
import { startSite } from "../../support/pages/support.ts";
import { useMailbox } from "../../support/reminder/mailbox.ts";
import { eventually } from "../../support/reminder/stack.ts";

const mailbox = await useMailbox();

/** The lines that doors, workers and the provider log. */
const lines: Record<string, unknown>[] = [];
const log = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
const site = await startSite({ SMTP_URL: mailbox.url, RATE_LIMIT_PER_MINUTE: "0" }, log);
const { sql, config } = site.identity;
const { authUrl } = site.stack.config;

const eventNames = Object.keys(events) as EventName[];
const newPassword = "another long sentence";
const email = "ada@example.org";

/** Forgets limits of mails. */
const forgetLimits = () => sql("delete from identity.throttle");

const kindsOf = async (user: string) =>
  (await sql(`select kind from journal where user_id = '${user}' order by number`)).map(({ kind }) =>
    String(kind),
  );

const idOf = async (address: string) =>
  String((await sql(`select id from identity.accounts where email = '${address}'`))[0]?.id);

const mailsTo = (address: string) => mailbox.mails.filter(({ to }) => to.includes(address));

/** The link of the newest message about this. */
async function linkAbout(address: string, words: string): Promise<string> {
  const mail = await eventually(() => mailsTo(address).findLast(({ source }) => source.includes(words)));
  return (
    /http\S+\/not-me\?token=[\w-]{43}/.exec(mail.source.slice(mail.source.indexOf(words)))?.[0] ?? "no link"
  );
}

const signIn = async (address: string, secret = password, browser = createBrowser(authUrl)) =>
  (await signInAt(config, address, secret, browser)).browser;

const post = async (browser: Browser, page: string, action: string, answers: Record<string, string> = {}) =>
  browser.submit(await browser.open(page), action, answers);

/** Uploads a file with a todo, and imports it. */
async function importFile(account: Browser): Promise<void> {
  const files = new File([exportFile({ todos: [{ title: "Sweep" }] })], "kept.json");
  const path = "/account/data/import";
  const shown = await account.submit(await account.open("/account/data"), path, { files });
  // A busy machine shows no preview.
  if (shown.forms.some(({ action }) => action === `${path}/apply`))
    await account.submit(shown, `${path}/apply`, {});
}

// These acts, through the pages, make every kind of event.
const provider = await signedUpByMail(config, mailbox, email);
const user = await idOf(email);

// Signing in and out.
await post(provider, "/profile", "/account/sign-out");
await signIn(email, "a wrong password");
await signIn(email, password, provider);
await signIn(email);
await post(provider, "/forgot-password", "/forgot-password", { email });
await eventually(() => mailsTo(email).some(({ source }) => source.includes("/reset-password?")));

const account = provider;

// Passkeys.
const authenticator = await createAuthenticator();
const challenge = await post(provider, "/profile", "/profile/passkeys", { password });
const credential = await authenticator.create({ ...partsIn(challenge, authUrl), counter: 1 });
await provider.submit(challenge, "/profile/passkeys/create", { credential, name: "Test key" });
await post(provider, "/profile", "/profile/passkeys/remove");

// Tokens and apps.
const token = await tokenByForm(provider, "Script");
const [{ id = "" } = {}] = await sql("select id from identity.grants where name = 'Script'");
const change = `/profile/api-tokens/change?id=${id}`;
const { rest } = site.stack;
const { body: todo } = await rest("POST", "/todos", { token, body: { title: "Sweep" } });
await Promise.all(Array.from({ length: 100 }, () => rest("GET", "/todos", { token })));
await rest("DELETE", `/todos/${todo.id}`, { token });
const hook = { url: "https://example.com/kept", events: ["todo.*"] };
const { body: webhook } = await rest("POST", "/webhooks", { token, body: hook });
await rest("PATCH", `/webhooks/${webhook.id}`, { token, body: hook });
await post(account, "/account/agents", "/account/agents", { ask_above: "5" });
await post(provider, change, "/profile/api-tokens/change", { name: "Renamed" });
await post(provider, change, "/profile/api-tokens/rotate", { grace: "3600" });
await post(provider, "/profile/api-tokens", "/profile/api-tokens/end-old");
await post(provider, "/profile/api-tokens", "/profile/api-tokens/revoke", { id: String(id) });
const clientId = await registerApp(config);
for (const _ of [1, 2]) await connect(config, provider, { clientId, scope: "habits:read" });
await post(provider, "/profile/api-tokens", "/profile/api-tokens/revoke");

// Settings and data.
const day = { time_zone: "Europe/Berlin", day_start_hour: "3" };
await post(account, "/account/settings/day", "/account/settings/day", day);
const settings = "/account/settings";
await post(account, settings, `${settings}/ntfy`, { ntfy_url: "https://ntfy.sh/adas-topic" });
await post(account, settings, `${settings}/reminders`, { reminder_channel: "ntfy" });
await post(account, "/account/data", "/account/data/calendar");
await post(account, "/account/data", "/account/data/calendar/end");
const webhooks = "/account/webhooks";
await post(account, webhooks, `${webhooks}/change`, { act: "off" });
await post(account, webhooks, `${webhooks}/change`, { act: "delete" });
// A file is read in a process of its own within a time, which a busy machine may not give.
await eventually(async () => {
  await importFile(account);
  return (await kindsOf(user)).includes("imported");
}, 60_000);
const actions = (await account.open("/account/actions")).text;
const forget = /\/account\/actions\/forget\?[^"]+/.exec(actions)?.[0]?.replaceAll("&amp;", "&") ?? "no link";
await post(account, forget, "/account/actions/forget");
const file = JSON.parse((await account.open("/account/data/export?format=json")).text);
const journalPage = await account.open("/account/journal");

// Addresses and passwords.
await sql(`update identity.accounts set email_verified_at = null where email = '${email}'`);
await post(provider, "/profile", "/profile/email/link");
const confirmed = await provider.open(newestLink(mailbox, email));
await provider.submit(confirmed, "/profile/email/confirm", {});
await post(provider, "/profile", "/profile/password", {
  ...{ password, new_password: newPassword },
  connections: "end",
});
await forgetLimits();
await post(provider, "/profile", "/profile/email", { email: "ada@example.com", password: newPassword });
const moved = await provider.open(newestLink(mailbox, "ada@example.com"));
await provider.submit(moved, "/profile/email/confirm", {});
const restore = await linkAbout(email, "The account has another e-mail address.");
await post(createBrowser(authUrl), restore, "/not-me");
const givenBackTo = await idOf(email);

// Counted reads are told when their day has ended, and nothing is left of the account after that but its journal.
await eventually(async () => (await sql(`select from journal_counts where kind = 'rest_reads'`)).length > 0);
await sql(`update journal_counts set until = now() where kind = 'rest_reads'`);
await sql("select journal_close(100)");
await forgetLimits();
const last = await signIn(email, newPassword);
await post(last, "/profile", "/profile/delete", { password: newPassword });

test("every kind of event is made through the pages and found in the journal, on its page and in an export", async () => {
  const kinds = await kindsOf(user);
  expect(eventNames.filter((kind) => !kinds.includes(kind))).toEqual([]);
  expect(file.journal.map(({ kind }: { kind: string }) => kind)).toContain("account_made");
  expect(journalPage.text).toContain("The token “Script” was made");
  expect(givenBackTo).toBe(user);
});

test("every kind of event is in the security log, without secrets", () => {
  const logged = lines.filter(({ msg }) => msg === "security event");
  const isLogged = (kind: string) => logged.some((line) => line.kind === kind && line.user === user);
  // The sum of reads is logged by the upkeep, which the test did by hand.
  expect(eventNames.filter((kind) => kind !== "rest_reads" && !isLogged(kind))).toEqual([]);
  expect(logged.find(({ kind }) => kind === "token_made")).toMatchObject({ event: "authn_token_created" });
  expect(JSON.stringify(logged)).not.toContain(token);
});

test("the kinds that people are told of, and no others, are told", async () => {
  await forgetLimits();
  await sql("update identity.notices set next_at = now()");
  const waiting = "select from identity.notices where sent_at is null";
  await eventually(async () => (await sql(waiting)).length === 0);
  const told = eventNames.filter((kind) => events[kind].told);
  const notices = await sql(`select distinct kind from identity.notices where account_id = '${user}'`);
  expect(notices.map(({ kind }) => String(kind)).sort()).toEqual([...told].sort());
});
