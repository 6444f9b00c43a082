import { afterAll, expect, test } from "bun:test";
import { Pool } from "pg";
import { createMailer } from "../../../api/identity/accounts/mail.ts";
import { mailTokenEndings } from "../../../api/identity/chores.ts";
import { tokenGuides } from "../../../api/web/connect-guides.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { type Browser, cookieOf, type Page } from "../../support/identity/browser.ts";
import {
  connect,
  registerApp,
  signedUp,
  tokenIn,
  tokenRequest,
  useIdentity,
} from "../../support/identity/support.ts";
import { startMailbox } from "../../support/servers/mailbox.ts";

const { config, introspect, sql } = await useIdentity();
const mailbox = await startMailbox();
const pool = new Pool({ connectionString: config.databaseUrl });
afterAll(() => Promise.all([pool.end(), mailbox.stop()]));

const tokensPath = "/profile/api-tokens";
const isActive = async (token: string) => (await introspect(token)).active;
const idOf = async (token: string) => String((await introspect(token)).jti);

type Answers = Record<string, string | string[]>;
const create = async (browser: Browser, answers: Answers = {}) =>
  browser.submit(await browser.open(tokensPath), tokensPath, { name: "Script", ...answers });

/** A new person with a token. */
async function newToken(answers: Answers = {}) {
  const browser = await signedUp(config);
  const token = tokenIn(await create(browser, answers));
  return { browser, token, id: await idOf(token) };
}

const changePage = (browser: Browser, id: string) => browser.open(`${tokensPath}/change?id=${id}`);
const change = (browser: Browser, page: Page, answers: Answers) =>
  browser.submit(page, `${tokensPath}/change`, answers);
const rotate = (browser: Browser, page: Page, answers: Answers) =>
  browser.submit(page, `${tokensPath}/rotate`, answers);

test("a new token is shown by the page after the form, once, is listed with its use, and is revoked at once", async () => {
  const browser = await signedUp(config);
  const created = await create(browser, { preset: "read" });
  const token = tokenIn(created);
  expect(token).toMatch(/^kept_[0-9A-Za-z]{49}$/);
  expect(created.url).toEndWith(tokensPath);
  const { jti, ...told } = await introspect(token);
  const scope = "habits:read todos:read categories:read";
  expect(told).toMatchObject({ active: true, scope, client_name: "Script" });
  // The page has the token once alone, and once in the lines for each client.
  const guides = tokenGuides(config.baseUrl, token);
  expect(created.text.match(new RegExp(token, "g"))?.length).toBe(1 + guides.length);
  const again = await browser.open(tokensPath);
  for (const other of [token, "Never"]) expect(again.text).not.toContain(other);
  for (const own of [`kept_…${token.slice(-4)}`, `"/account/actions?token_id=${jti}"`])
    expect(again.text).toContain(own);
  const ofAccount = `account_id = (select account_id from identity.grants where id = '${jti}')`;
  expect(await sql(`select from identity.grants where ${ofAccount}`)).toHaveLength(1);
  const stored = await sql(`
    select g.payload::text, a.payload::text as secret, encode(a.id_hash, 'escape') as hash
    from identity.grants g join identity.artifacts a on a.grant_id = g.id where g.id = '${jti}'`);
  expect(JSON.stringify(stored)).not.toContain(token.slice(5, 20));
  await browser.submit(again, `${tokensPath}/revoke`, { id: String(jti) });
  expect(await isActive(token)).toBe(false);
});

test("the cookie that hands a new token over means nothing in another session", async () => {
  const [mine, theirs] = [await signedUp(config), await signedUp(config)];
  const form = (await mine.open(tokensPath)).forms.find(({ action }) => action === tokensPath);
  const Cookie = cookieOf(mine);
  const body = new URLSearchParams(form?.fields.filter(([name]) => name !== "name"));
  body.append("name", "Mine");
  const ask = (init: RequestInit) => fetch(`${config.authUrl}${tokensPath}`, { redirect: "manual", ...init });
  const answer = await ask({ method: "POST", headers: { Cookie }, body });
  expect(answer.status).toBe(303);
  const handed = [Cookie, ...answer.headers.getSetCookie().map((line) => line.split(";")[0])].join("; ");
  const looked = await ask({ method: "HEAD", headers: { Cookie: handed } });
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
  expect((await introspect(token)).exp).toBe(end);
  const noDay = `${new Date().getUTCFullYear() + 1}-02-30`;
  for (const date of ["", "2020-01-01", noDay, "tomorrow", "9999-12-31"])
    expect((await create(browser, { days: "date", date })).status).toBe(422);
});

test("a token gets another name and loses permissions, and an old page gives none back", async () => {
  const { browser, token, id } = await newToken({ preset: "all" });
  const old = await changePage(browser, id);
  const narrow = { name: "Reader", scope: ["todos:read", "habits:read"] };
  const saved = await change(browser, old, narrow);
  expect(saved.text).toContain("Your changes are saved.");
  const told = { active: true, scope: "habits:read todos:read", client_name: "Reader" };
  expect(await introspect(token)).toMatchObject(told);
  await change(browser, old, { name: "Reader", scope: ["todos:read", "todos:write"] });
  expect(await introspect(token)).toMatchObject({ scope: "todos:read" });
  for (const odd of [{ name: " " }, { scope: [] }, { scope: ["habits:write"] }])
    expect((await change(browser, old, { ...narrow, ...odd })).status).toBe(422);
});

test("an app that is narrowed on the page stays so when it refreshes its token", async () => {
  const browser = await signedUp(config);
  const clientId = await registerApp(config);
  const first = await connect(config, browser, { clientId, scope: "todos:read todos:write" });
  const id = await idOf(first.access_token);
  await change(browser, await changePage(browser, id), { name: "Laptop", scope: ["todos:read"] });
  const { refresh_token } = first;
  const fresh = { grant_type: "refresh_token", client_id: clientId, refresh_token };
  const told = { scope: "todos:read", client_name: "Laptop" };
  for (const { access_token } of [first, await tokenRequest(config, fresh)])
    expect(await introspect(access_token)).toMatchObject(told);
});

test("a new secret takes the place of the old one under the same id, at once or after a while", async () => {
  const { browser, token, id } = await newToken();
  const next = async (answers: Answers) =>
    tokenIn(await rotate(browser, await changePage(browser, id), answers));
  const second = await next({ grace: "0" });
  expect(await isActive(token)).toBe(false);
  const third = await next({ grace: "3600", days: "365" });
  const [before, after] = [await introspect(second), await introspect(third)];
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
  const next = async () => tokenIn(await rotate(browser, await changePage(browser, id), { grace: "86400" }));
  const [second, third] = [await next(), await next()];
  expect(await list()).toContain("An earlier secret also works, until");
  expect(await Promise.all([token, second, third].map(isActive))).toEqual([true, true, true]);
  await browser.submit(await browser.open(tokensPath), `${tokensPath}/end-old`, {});
  expect(await list()).not.toContain("An earlier secret also works");
  expect(await Promise.all([token, second, third].map(isActive))).toEqual([false, false, true]);
});

test("of rotations at the same moment exactly one secret is left", async () => {
  const { browser, id } = await newToken();
  const page = await changePage(browser, id);
  const made = await Promise.all([1, 2, 3, 4].map(() => rotate(browser, page, { grace: "0" })));
  const rows = await sql(`select from identity.artifacts where grant_id = '${id}'`);
  expect(rows.length).toBe(1);
  expect(made.some(({ status }) => status === 200)).toBe(true);
  expect(made.every(({ status }) => status === 200 || status === 422)).toBe(true);
});

test("five secrets of a token work at the most, until the old ones end at once", async () => {
  const { browser, id } = await newToken();
  const page = await changePage(browser, id);
  const status = async (grace: string, key = id) => (await rotate(browser, page, { id: key, grace })).status;
  const statuses: number[] = [];
  for (const grace of [...Array(5).fill("604800"), "0", "604800"]) statuses.push(await status(grace));
  expect(statuses).toEqual([200, 200, 200, 200, 422, 200, 200]);
  expect(await status("0", "\0")).toBe(404);
});

test("nobody sees or changes the token of somebody else", async () => {
  const { token, id } = await newToken({ preset: "all" });
  const { browser: stranger, id: own } = await newToken();
  expect((await changePage(stranger, id)).status).toBe(404);
  const page = await changePage(stranger, own);
  const changed = await change(stranger, page, { id, name: "Mine", scope: ["todos:read"] });
  const rotated = await rotate(stranger, page, { id, grace: "0" });
  expect([changed.status, rotated.status]).toEqual([404, 404]);
  expect(await introspect(token)).toMatchObject({ active: true, client_name: "Script" });
});

test("a week before a token ends its person gets one mail, however many processes look", async () => {
  const { id } = await newToken({ days: "30" });
  const sendMail = await createMailer({ ...config, smtpUrl: mailbox.url }, createLog("test", "silent"));
  const parts = { pool, config, sendMail };
  const look = () => Promise.all([mailTokenEndings(parts), mailTokenEndings(parts)]);
  const endsIn = (days: number) =>
    sql(`update identity.grants set created_at = now() - interval '30 days',
      expires_at = now() + interval '${days} days' where id = '${id}'`);
  const ofToken = `from identity.grants where id = '${id}'`;
  await endsIn(6);
  await look();
  expect(mailbox.mails).toEqual([]);
  await sql(
    `update identity.accounts set email_verified_at = now() where id = (select account_id ${ofToken})`,
  );
  await sql(`insert into users (user_id, time_zone, zone_source, day_start_hour, reminder_channel, locale,
    created_at, updated_at)
    select account_id, 'UTC', 'claim', 0, 'log', 'en-US-u-fw-sun-hc-h12', now(), now() ${ofToken}`);
  await endsIn(8);
  await look();
  expect(mailbox.mails).toEqual([]);
  await endsIn(6);
  await mailTokenEndings({ ...parts, sendMail: async () => false });
  for (const _ of ["once", "twice"]) await look();
  const [mail, ...more] = mailbox.mails;
  expect(more).toEqual([]);
  expect(mail?.source).toContain(`${tokensPath}/change?id=${id}`);
  expect(mail?.source).toMatch(/ends on \w+day, \w+ \d+, 2\d{3}\s+at\s+\d+:\d\d\s+[AP]M/);
});
