import { afterAll, expect, test } from "bun:test";
import { Pool } from "pg";
import { createMailer } from "../../../api/identity/accounts/mail.ts";
import { mailTokenEndings } from "../../../api/identity/accounts/tokens/endings.ts";
import { tokenGuides } from "../../../api/web/connect-guides.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import type { Browser, Page } from "../../support/identity/browser.ts";
import {
  connect,
  registerApp,
  signedUp,
  startTestIdentity,
  tokenRequest,
} from "../../support/identity/support.ts";
import { startMailbox } from "../../support/servers/mailbox.ts";

const identity = await startTestIdentity();
const { config } = identity;
const mailbox = await startMailbox();
const pool = new Pool({ connectionString: config.databaseUrl });
afterAll(async () => {
  await pool.end();
  await identity.stop();
  await mailbox.stop();
});

const tokensPath = "/profile/api-tokens";
const tokenIn = (page: Page) => /class="secret">([^<]+)</.exec(page.text)?.[1] ?? "";
const isActive = async (token: string) => (await identity.introspect(token)).active;
const idOf = async (token: string) => String((await identity.introspect(token)).jti);

async function create(browser: Browser, answers: Record<string, string | string[]> = {}): Promise<Page> {
  return browser.submit(await browser.open(tokensPath), tokensPath, { name: "Script", ...answers });
}

/** A new person with a token. */
async function newToken(answers: Record<string, string | string[]> = {}) {
  const browser = await signedUp(config);
  const token = tokenIn(await create(browser, answers));
  return { browser, token, id: await idOf(token) };
}

const changePage = (browser: Browser, id: string) => browser.open(`${tokensPath}/change?id=${id}`);

const howMany = async (id: string) => {
  const where = `account_id = (select account_id from identity.grants where id = '${id}')`;
  const [row] = await identity.sql(`select count(*)::int as count from identity.grants where ${where}`);
  return row?.count;
};

test("a new token is shown by the page after the form, once: reloading shows nothing and makes none", async () => {
  const browser = await signedUp(config);
  const created = await create(browser, { preset: "read" });
  const token = tokenIn(created);
  expect(created.url).toEndWith(tokensPath);
  const { jti, scope } = await identity.introspect(token);
  expect(scope).toBe("habits:read todos:read categories:read");
  // The page has the token once alone, and once in the lines for each client.
  const guides = tokenGuides(config.baseUrl, token);
  expect(created.text.match(new RegExp(token, "g"))?.length).toBe(1 + guides.length);
  const again = await browser.open(tokensPath);
  expect(again.text).not.toContain(token);
  expect(again.text).toContain(`kept_…${token.slice(-4)}`);
  expect(await howMany(String(jti))).toBe(1);
  const stored =
    await identity.sql(`select g.payload::text, a.payload::text as secret, encode(a.id_hash, 'escape') as hash
    from identity.grants g join identity.artifacts a on a.grant_id = g.id where g.id = '${jti}'`);
  expect(JSON.stringify(stored)).not.toContain(token.slice(5, 20));
});

test("the cookie that hands a new token over means nothing in another session", async () => {
  const [mine, theirs] = [await signedUp(config), await signedUp(config)];
  const page = await mine.open(tokensPath);
  const form = page.forms.find(({ action }) => action === tokensPath);
  const cookie = [...mine.cookies].map(([name, { value }]) => `${name}=${value}`).join("; ");
  const answer = await fetch(`${config.authUrl}${tokensPath}`, {
    method: "POST",
    redirect: "manual",
    headers: { Cookie: cookie },
    body: new URLSearchParams([
      ...(form?.fields ?? []).filter(([name]) => name !== "name"),
      ["name", "Mine"],
    ]),
  });
  expect(answer.status).toBe(303);
  const handed = answer.headers.getSetCookie().map((line) => line.split(";")[0]);
  const looked = await fetch(`${config.authUrl}${tokensPath}`, {
    method: "HEAD",
    headers: { Cookie: [cookie, ...handed].join("; ") },
  });
  expect([looked.status, looked.headers.getSetCookie()]).toEqual([200, []]);
  for (const line of answer.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (name.includes("new_token")) theirs.cookies.set(name, { value, path: tokensPath });
  }
  expect((await theirs.open(tokensPath)).text).not.toContain("is ready");
});

test("a token ends on the day that was chosen, in the zone of its person; the past and odd days are refused", async () => {
  const day = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
  const { token, browser } = await newToken({ days: "date", date: day });
  const end = Date.parse(day) / 1_000 + 86_400;
  expect((await identity.introspect(token)).exp).toBe(end);
  for (const date of ["", "2020-01-01", "2027-02-30", "tomorrow", "9999-12-31"])
    expect((await create(browser, { days: "date", date })).status).toBe(422);
});

test("a token gets another name and loses permissions, and an old page gives none back", async () => {
  const { browser, token, id } = await newToken({ preset: "all" });
  const old = await changePage(browser, id);
  const narrow = { name: "Reader", scope: ["todos:read", "habits:read"] };
  const saved = await browser.submit(old, `${tokensPath}/change`, narrow);
  expect(saved.text).toContain("Your changes are saved.");
  expect(await identity.introspect(token)).toMatchObject({
    active: true,
    scope: "habits:read todos:read",
    client_name: "Reader",
  });
  await browser.submit(old, `${tokensPath}/change`, { name: "Reader", scope: ["todos:read", "todos:write"] });
  expect(await identity.introspect(token)).toMatchObject({ scope: "todos:read" });
  for (const odd of [{ name: " " }, { scope: [] }, { scope: ["habits:write"] }])
    expect((await browser.submit(old, `${tokensPath}/change`, { ...narrow, ...odd })).status).toBe(422);
});

test("an app that is narrowed on the page stays so when it refreshes its token", async () => {
  const browser = await signedUp(config);
  const clientId = await registerApp(config);
  const first = await connect(config, browser, { clientId, scope: "todos:read todos:write" });
  const id = await idOf(first.access_token);
  await browser.submit(await changePage(browser, id), `${tokensPath}/change`, {
    name: "Laptop",
    scope: ["todos:read"],
  });
  const refreshed = await tokenRequest(config, {
    grant_type: "refresh_token",
    client_id: clientId,
    refresh_token: first.refresh_token,
  });
  for (const { access_token } of [first, refreshed])
    expect(await identity.introspect(access_token)).toMatchObject({
      scope: "todos:read",
      client_name: "Laptop",
    });
});

test("a new secret takes the place of the old one under the same id, at once or after a while", async () => {
  const { browser, token, id } = await newToken();
  const rotate = async (answers: Record<string, string>) =>
    tokenIn(await browser.submit(await changePage(browser, id), `${tokensPath}/rotate`, answers));
  const second = await rotate({ grace: "0" });
  expect(await isActive(token)).toBe(false);
  const third = await rotate({ grace: "3600", days: "365" });
  const [before, after] = [await identity.introspect(second), await identity.introspect(third)];
  const now = Date.now() / 1_000;
  expect([before.jti, after.jti]).toEqual([id, id]);
  expect(Math.abs(Number(before.exp) - now - 3_600)).toBeLessThan(60);
  expect(Math.abs(Number(after.exp) - now - 365 * 86_400)).toBeLessThan(60);
  expect((await browser.open(tokensPath)).text).toContain(`kept_…${third.slice(-4)}`);
});

test("an earlier secret that still works is shown with its end, and can be ended at once", async () => {
  const { browser, id, token } = await newToken();
  const list = async () => (await browser.open(tokensPath)).text;
  expect(await list()).not.toContain("An earlier secret");
  const rotate = async () =>
    tokenIn(await browser.submit(await changePage(browser, id), `${tokensPath}/rotate`, { grace: "86400" }));
  const [second, third] = [await rotate(), await rotate()];
  expect(await list()).toContain("An earlier secret also works, until");
  expect(await Promise.all([token, second, third].map(isActive))).toEqual([true, true, true]);
  await browser.submit(await browser.open(tokensPath), `${tokensPath}/end-old`, {});
  expect(await list()).not.toContain("An earlier secret also works");
  expect(await Promise.all([token, second, third].map(isActive))).toEqual([false, false, true]);
});

test("of rotations at the same moment exactly one secret is left", async () => {
  const { browser, id } = await newToken();
  const page = await changePage(browser, id);
  const made = await Promise.all(
    Array.from({ length: 4 }, () => browser.submit(page, `${tokensPath}/rotate`, { grace: "0" })),
  );
  const rows = await identity.sql(`select from identity.artifacts where grant_id = '${id}'`);
  expect(rows.length).toBe(1);
  expect(made.some(({ status }) => status === 200)).toBe(true);
  expect(made.every(({ status }) => status === 200 || status === 422)).toBe(true);
});

test("five secrets of a token work at the most, until the old ones end at once", async () => {
  const { browser, id } = await newToken();
  const page = await changePage(browser, id);
  const rotate = async (grace: string, key = id) =>
    (await browser.submit(page, `${tokensPath}/rotate`, { id: key, grace })).status;
  const statuses: number[] = [];
  for (let n = 0; n < 5; n++) statuses.push(await rotate("604800"));
  expect(statuses).toEqual([200, 200, 200, 200, 422]);
  expect(await rotate("0")).toBe(200);
  expect(await rotate("604800")).toBe(200);
  expect(await rotate("0", "\0")).toBe(404);
});

test("nobody sees or changes the token of somebody else", async () => {
  const { token, id } = await newToken({ preset: "all" });
  const { browser: stranger, id: own } = await newToken();
  expect((await changePage(stranger, id)).status).toBe(404);
  const page = await changePage(stranger, own);
  const changed = await stranger.submit(page, `${tokensPath}/change`, {
    id,
    name: "Mine",
    scope: ["todos:read"],
  });
  const rotated = await stranger.submit(page, `${tokensPath}/rotate`, { id, grace: "0" });
  expect([changed.status, rotated.status]).toEqual([404, 404]);
  expect(await identity.introspect(token)).toMatchObject({ active: true, client_name: "Script" });
});

test("a week before a token ends its person gets one mail, however many processes look", async () => {
  const { id } = await newToken({ days: "30" });
  const parts = {
    pool,
    config,
    sendMail: await createMailer({ ...config, smtpUrl: mailbox.url }, createLog("test", "silent")),
  };
  const look = () => Promise.all([mailTokenEndings(parts), mailTokenEndings(parts)]);
  const endsIn = (days: number) =>
    identity.sql(`update identity.grants set created_at = now() - interval '30 days',
      expires_at = now() + interval '${days} days' where id = '${id}'`);
  await endsIn(6);
  await look();
  expect(mailbox.mails).toEqual([]);
  await identity.sql(`update identity.accounts set email_verified_at = now()
    where id = (select account_id from identity.grants where id = '${id}')`);
  await identity.sql(`insert into users (user_id, time_zone, zone_source, day_start_hour, reminder_channel, locale, created_at, updated_at)
    select account_id, 'UTC', 'claim', 0, 'log', 'en-US-u-fw-sun-hc-h12', now(), now() from identity.grants where id = '${id}'`);
  await endsIn(8);
  await look();
  expect(mailbox.mails).toEqual([]);
  await endsIn(6);
  const away = { ...parts, sendMail: async () => false };
  await mailTokenEndings(away);
  for (const _ of ["once", "twice"]) await look();
  expect(mailbox.mails.length).toBe(1);
  expect(mailbox.mails[0]?.source).toContain(`${tokensPath}/change?id=${id}`);
  expect(mailbox.mails[0]?.source).toMatch(/ends on \w+day, \w+ \d+, 2\d{3}\s+at\s+\d+:\d\d\s+[AP]M/);
});
