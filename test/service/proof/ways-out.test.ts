import { expect, test } from "bun:test";
import { createECDH, randomBytes } from "node:crypto";
import { commands } from "../../../shared/contracts/catalogue.ts";
import type { CommandContract } from "../../../shared/contracts/kernel/contract.ts";
import { allScopes, type Scope } from "../../../shared/contracts/kernel/scopes.ts";
import { events } from "../../../shared/domain/journal/events.ts";
import { type WayOutKind, wayOutKinds, waysOut } from "../../../shared/domain/ways-out.ts";
import type { Browser, Page } from "../../support/identity/browser.ts";
import { ageProofs } from "../../support/identity/proofs.ts";
import { authorizationRequest, consent, registerApp, tokenIn } from "../../support/identity/support.ts";
import { textOf } from "../../support/pages/plain.ts";
import { signedUpPerson, useSite } from "../../support/pages/support.ts";
import { eventually } from "../../support/reminder/stack.ts";

const site = await useSite();
const { sql, config } = site.identity;
const { rest } = site.stack;
const password = "correct horse battery";
const tokens = "/profile/api-tokens";
const hook = { url: "http://127.0.0.1:9/hook", events: ["todo.*"] };

async function newPerson() {
  const { browser: account, email } = await signedUpPerson(site);
  const [{ id: user } = {}] = await sql(`select id from identity.accounts where email = '${email}'`);
  const post = async (page: string, action: string, answers = {}) =>
    account.submit(await account.open(page), action, answers);
  return {
    ...{ account, user, post },
    prove: (asked: Page) => account.submit(asked, "/sign-in", { email, password }),
    count: async (table: string, where: string) =>
      (await sql(`select from ${table} where ${where.replaceAll("$user", `'${user}'`)}`)).length,
    /** A token with these scopes, and its id. */
    async newToken(scopes: readonly Scope[]) {
      const made = await post(tokens, tokens, { name: "Agent", preset: "custom", scope: [...scopes] });
      const [{ id } = {}] = await sql(
        `select id from identity.grants where account_id = '${user}' order by created_at desc limit 1`,
      );
      return { token: tokenIn(made), id: String(id) };
    },
  };
}

type Person = Awaited<ReturnType<typeof newPerson>>;
type Way = Readonly<{
  open(person: Person): Promise<unknown>;
  action: string;
  answers?: Readonly<Record<string, string>>;
  table: string;
  where: string;
}>;

const ofAccount = "account_id = $user and client_id";
const personal = "'personal-access-tokens'";

function newSubscription() {
  const keys = createECDH("prime256v1");
  const p256dh = keys.generateKeys("base64url");
  return { endpoint: "https://127.0.0.1:9/push", p256dh, auth: randomBytes(16).toString("base64url") };
}

const form = (page: string, action: string, answers = {}) => ({
  ...{ action, answers, open: ({ post }: Person) => post(page, action, answers) },
});

const asking = { client_id: await registerApp(config), scope: "todos:read" };
const request = authorizationRequest(config, asking).address;
async function allow({ account }: { account: Browser }) {
  return consent(account, await account.open(request));
}

const exported = "/account/actions/export?format=csv";
const ways: Readonly<Record<WayOutKind, Way>> = {
  token: {
    ...form(tokens, tokens, { name: "Laptop", days: "7" }),
    ...{ table: "identity.grants", where: `${ofAccount} = ${personal}` },
  },
  app: {
    ...{ open: allow, action: request },
    ...{ table: "identity.grants", where: `${ofAccount} <> ${personal}` },
  },
  webhook: {
    ...form("/account/webhooks", "/account/webhooks", { ...hook, events: "todo.*" }),
    ...{ table: "webhooks", where: "user_id = $user" },
  },
  calendar: {
    ...form("/account/data", "/account/data/calendar"),
    ...{ table: "calendar_feeds", where: "user_id = $user" },
  },
  channel: {
    ...form("/account/settings", "/account/settings/webhook", { webhook_url: "http://127.0.0.1:9/mine" }),
    ...{ table: "users", where: "user_id = $user and webhook_url is not null" },
  },
  browser: {
    ...form("/account/settings", "/account/settings/push", newSubscription()),
    ...{ table: "push_subscriptions", where: "user_id = $user" },
  },
  export: {
    ...{ open: ({ account }) => account.open(exported), action: exported },
    ...{ table: "journal", where: "user_id = $user and kind = 'exported'" },
  },
};

test.each([...wayOutKinds])(
  "%s: a stale session opens none; a fresh one does, its person is told, and a password that ends all ends it",
  async (kind) => {
    const { open, table, where } = ways[kind];
    const person = await newPerson();
    const isOpen = async () => (await person.count(table, where)) > 0;
    await ageProofs(site.identity);
    await open(person);
    expect(await isOpen()).toBe(false);
    await person.prove(await person.account.open("/account/sign-in?proof=fresh&next=/account"));
    await open(person);
    expect(await isOpen()).toBe(true);
    const told = waysOut[kind].tells.map((event) => `'${event}'`).join();
    await eventually(() => person.count("identity.notices", `account_id = $user and kind in (${told})`));
    expect(waysOut[kind].tells.filter((event) => events[event].told === null)).toEqual([]);
    expect(textOf(await person.account.open("/account/data/access"))).toContain(waysOut[kind].what);

    const change = { password, new_password: "another long sentence", connections: "end" };
    await person.post("/profile", "/profile/password", change);
    // A file that was downloaded is gone for good.
    await eventually(async () => kind === "export" || !(await isOpen()));
  },
);

test("tokens can open a webhook and no other way out, also by the addresses of forms", async () => {
  const reached = Object.values<CommandContract>(commands).filter(({ opens, rest }) => opens && rest);
  expect([...new Set(reached.map(({ name }) => name))]).toEqual(["webhook.create", "webhook.update"]);
  const person = await newPerson();
  const { token } = await person.newToken(allScopes);
  const headers = { authorization: `Bearer ${token}`, origin: config.baseUrl };
  const answers = Object.values(ways).map(async ({ action, answers }) => {
    const form = answers && { method: "POST", body: new URLSearchParams(answers) };
    const address = new URL(action, config.baseUrl);
    return (await fetch(address, { ...form, headers, redirect: "manual" })).status;
  });
  expect(new Set(await Promise.all(answers))).toEqual(new Set([303]));
  const opened = await Promise.all(Object.values(ways).map(({ table, where }) => person.count(table, where)));
  expect(opened).toEqual(wayOutKinds.map((kind) => (kind === "token" ? 1 : 0)));
});

const enough: Scope[] = ["todos:read", "webhooks:write"];
const narrow = ({ post }: Person, id: string) =>
  post(`${tokens}/change?id=${id}`, `${tokens}/change`, { name: "Agent", scope: ["webhooks:write"] });
const revoke = ({ post }: Person, id: string) => post(tokens, `${tokens}/revoke`, { id });

test.each([
  ["with enough scopes", enough, undefined, 201],
  ["with fewer scopes", ["webhooks:write"], undefined, 403],
  ["that is narrowed", enough, narrow, 403],
  ["that is revoked", enough, revoke, 401],
] as const)("a webhook by a token %s", async (_, scopes, change, status) => {
  const person = await newPerson();
  const { token = "", id } = await person.newToken(scopes);
  await change?.(person, id);
  const send = () => rest("POST", "/webhooks", { token, body: hook });
  await eventually(async () => (await send()).status === status);
  expect((await person.count("webhooks", "user_id = $user")) > 0).toBe(status === 201);
});

test.each([
  ["its token stays so", undefined, "done"],
  ["its token is narrowed", narrow, "outdated"],
  ["its token is revoked", revoke, "outdated"],
] as const)(
  "a batch of a ruled token shows each of its acts, and is judged again: %s",
  async (_, change, end) => {
    const person = await newPerson();
    const { account, post, user } = person;
    const { token = "", id } = await person.newToken(allScopes);
    const send = (path: string, body: object) => rest("POST", path, { token, body });
    await send("/todos", { title: "Sweep" });
    await post("/account/agents", "/account/agents", { asks_deletions: "yes" });
    const operations = [
      { method: "POST", path: "/todos", body: { title: "Harmless" } },
      { method: "POST", path: "/webhooks", body: hook },
    ];
    const asked = await send("/batch", { operations });
    expect(asked.status).toBe(202);
    const shown = await account.open("/account/approvals");
    for (const part of ["Harmless", "Make a webhook", hook.url]) expect(textOf(shown)).toContain(part);
    await change?.(person, id);
    await account.submit(shown, "/account/approvals", { act: `approve ${asked.body.id}` });
    const [stored] = await sql(`select state, outcome from approvals where user_id = '${user}'`);
    expect(stored?.state).toBe(end);
    expect(String(stored?.outcome)).not.toContain("whsec_");
    expect(await person.count("webhooks", "user_id = $user")).toBe(end === "done" ? 1 : 0);
  },
);

test("the list of ways out ends a token by a button", async () => {
  const { account, newToken, count } = await newPerson();
  await newToken(allScopes);
  await account.submit(await account.open("/account/data/access"), `${tokens}/revoke`, {});
  expect(await count("identity.grants", "account_id = $user")).toBe(0);
});

test("what was asked is done after the proof, as is switching on a webhook, and an export begins from a page", async () => {
  const { account, prove, post, count } = await newPerson();
  await ageProofs(site.identity);
  const asked = await prove(await post("/account/webhooks", "/account/webhooks", hook));
  expect(await count("webhooks", "user_id = $user")).toBe(0);
  const made = await account.submit(asked, "/account/webhooks", {});
  expect(textOf(made)).toContain("whsec_");
  await ageProofs(site.identity);
  for (const act of ["off", "on"]) await post("/account/webhooks", "/account/webhooks/change", { act });
  expect(await count("webhooks", "user_id = $user and is_active")).toBe(0);
  const began = await prove(await account.open("/account/data/export?format=json"));
  expect(textOf(began)).toContain("Your download begins.");
  const [, address = ""] = /url=(.+)/.exec(began.headers.get("refresh") ?? "") ?? [];
  const file = await account.open(address);
  expect(file.headers.get("content-disposition")).toMatch(/filename="kept-.*\.json"/);
});
