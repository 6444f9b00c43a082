import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Browser, createBrowser, type Page } from "../../support/identity/browser.ts";
import {
  authorizationRequest,
  connect,
  consent,
  registerApp,
  signedUp,
  startTestIdentity,
  type TestIdentity,
} from "../../support/identity/support.ts";

const tokensPath = "/profile/api-tokens";
const password = "correct horse battery";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity();
});
afterAll(() => identity.stop());

const isActive = async (token: string) => (await identity.introspect(token)).active;

function createToken(
  page: Page,
  browser: Browser,
  answers: Record<string, string | string[]>,
): Promise<Page> {
  return browser.submit(page, tokensPath, { name: "Script", days: "30", preset: "custom", ...answers });
}

function tokenIn(page: Page): string {
  return /class="secret">([^<]+)</.exec(page.text)?.[1] ?? "";
}

async function signIn(email: string, secret: string, browser = createBrowser(identity.config.authUrl)) {
  const page = await browser.open("/sign-in");
  return { browser, page: await browser.submit(page, "/sign-in", { email, password: secret }) };
}

test("the owner signs in with the printed password", async () => {
  const { browser, page } = await signIn(identity.owner.email, identity.owner.password);
  expect(page.url).toBe(`${identity.config.baseUrl}/account`);
  expect((await browser.open(tokensPath)).text).toContain("Owner&#x27;s first token");
});

test("a personal token is shown once, works, is listed with its use, and is revoked at once", async () => {
  const browser = await signedUp(identity.config);
  const empty = await browser.open(tokensPath);
  const created = await createToken(empty, browser, { scope: ["habits:read", "todos:read"] });
  const token = tokenIn(created);
  expect(token).toMatch(/^kept_[0-9A-Za-z]{49}$/);

  const told = await identity.introspect(token);
  expect(told).toMatchObject({ active: true, scope: "habits:read todos:read", client_name: "Script" });
  const listed = await browser.open(tokensPath);
  expect(listed.text).not.toContain(token);
  expect(listed.text).toContain(`value="${told.jti}"`);
  expect(listed.text).not.toContain("Never");
  expect(listed.text).toContain(`${identity.config.baseUrl}/account/actions?token_id=${told.jti}"`);

  await browser.submit(listed, `${tokensPath}/revoke`, { id: String(told.jti) });
  expect(await isActive(token)).toBe(false);
});

test("a token needs a name, a permission and a listed lifetime", async () => {
  const browser = await signedUp(identity.config);
  const page = await browser.open(tokensPath);
  for (const odd of [{ name: " " }, { scope: [] }, { scope: ["root"] }, { days: "100000" }]) {
    const answer = await createToken(page, browser, { scope: ["habits:read"], ...odd });
    expect(answer.status).toBe(422);
    expect(tokenIn(answer)).toBe("");
  }
});

test("an account has at most fifty tokens and fifty apps, also when they are made at the same moment", async () => {
  const browser = await signedUp(identity.config);
  const page = await createToken(await browser.open(tokensPath), browser, { scope: ["habits:read"] });
  const { sub } = await identity.introspect(tokenIn(page));
  const fill = (client: string, count: number) =>
    identity.sql(
      `insert into identity.grants (id, account_id, client_id, payload, expires_at)
       select gen_random_uuid()::text, '${sub}', '${client}', '{}', now() + interval '1 day'
       from generate_series(1, ${count})`,
    );
  await fill("personal-access-tokens", 47);
  const form = await browser.open(tokensPath);
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => createToken(form, browser, { scope: ["habits:read"] })),
  );
  const refused = answers.filter(({ status }) => status === 422);
  expect(refused.length).toBeGreaterThanOrEqual(4);
  expect(refused[0]?.text).toContain("You have 50 tokens");
  const [{ count } = {}] = await identity.sql(
    `select count(*)::int as count from identity.grants where account_id = '${sub}'`,
  );
  expect(count).toBeLessThanOrEqual(50);

  await fill("an-app", 50);
  const clientId = await registerApp(identity.config);
  const { address } = authorizationRequest(identity.config, { client_id: clientId });
  const answer = await consent(browser, await browser.open(address), ["habits:read"]);
  expect(answer).toMatchObject({ status: 422, text: expect.stringContaining("You have 50 connected apps") });
});

test("a person can disconnect an app, and nobody else's", async () => {
  const [mine, theirs] = [await signedUp(identity.config), await signedUp(identity.config)];
  const clientId = await registerApp(identity.config);
  const { access_token } = await connect(identity.config, mine, { clientId, scope: "todos:read" });
  const id = String((await identity.introspect(access_token)).jti);

  const page = await createToken(await theirs.open(tokensPath), theirs, { scope: ["habits:read"] });
  await theirs.submit(page, `${tokensPath}/revoke`, { id });
  expect(await isActive(access_token)).toBe(true);

  await mine.submit(await mine.open(tokensPath), `${tokensPath}/revoke`, { id });
  expect(await isActive(access_token)).toBe(false);
});

test("names with markup in them stay text, on the list and on the consent page", async () => {
  const browser = await signedUp(identity.config);
  const name = `<img src=x onerror="alert(1)">`;
  const page = await createToken(await browser.open(tokensPath), browser, { name, scope: ["habits:read"] });
  expect(page.text).not.toContain("<img");
  expect(page.text).toContain("&lt;img src=x");
  const clientId = await registerApp(identity.config, { client_name: name });
  await connect(identity.config, browser, { clientId, scope: "todos:read" });
  expect((await browser.open(tokensPath)).text).not.toContain("<img");
});

test("a form without its token, from another site or from another browser is refused", async () => {
  const [browser, other] = [await signedUp(identity.config), await signedUp(identity.config)];
  const page = await browser.open(tokensPath);
  const foreign = /name="csrf" value="([^"]+)"/.exec((await other.open(tokensPath)).text)?.[1] ?? "";
  for (const csrf of ["", "forged", foreign]) {
    const answer = await createToken(page, browser, { scope: ["habits:read"], csrf });
    expect(answer.status).toBe(403);
  }
  const cookie = [...browser.cookies].map(([name, { value }]) => `${name}=${value}`).join("; ");
  const body = new URLSearchParams(page.forms[0]?.fields);
  const headers = { Cookie: cookie, Origin: "https://evil.example" };
  const answer = await fetch(`${identity.config.authUrl}/sign-out`, { method: "POST", headers, body });
  expect(answer.status).toBe(403);
});

test("a new password signs other browsers out", async () => {
  const email = "changer@example.org";
  const browser = await signedUp(identity.config, email);
  const { browser: elsewhere } = await signIn(email, password);
  const page = await browser.open("/profile");
  const wrong = await browser.submit(page, "/profile/password", {
    password: "no",
    new_password: "x".repeat(12),
  });
  expect(wrong.status).toBe(422);
  const done = await browser.submit(page, "/profile/password", {
    password,
    new_password: "another long one",
  });
  expect(done.text).toContain("Your password is changed");
  expect((await elsewhere.open("/profile")).url).toContain("/sign-in");
  expect((await signIn(email, "another long one")).page.url).toEndWith("/account");
});

test("a new password can end every token and app, and says what became of them", async () => {
  const browser = await signedUp(identity.config);
  const page = await createToken(await browser.open(tokensPath), browser, { scope: ["habits:read"] });
  const token = tokenIn(page);
  const change = async (more: Record<string, string>) =>
    browser.submit(await browser.open("/profile"), "/profile/password", {
      password,
      new_password: password,
      ...more,
    });
  expect((await change({})).text).toContain("Your tokens, connected apps and passkeys go on working");
  expect(await isActive(token)).toBe(true);
  expect((await change({ connections: "end" })).text).toContain(
    "Your tokens, connected apps and passkeys have ended",
  );
  expect(await isActive(token)).toBe(false);
});

test("deleting the account tells the service and ends every token", async () => {
  const browser = await signedUp(identity.config);
  const token = tokenIn(
    await createToken(await browser.open(tokensPath), browser, { scope: ["habits:read"] }),
  );
  const { sub } = await identity.introspect(token);
  const page = await browser.open("/profile");
  const done = await browser.submit(page, "/profile/delete", {});
  expect(done.text).toContain("Account deleted");
  expect(identity.news).toContainEqual({ userId: String(sub), name: "user.delete", input: {} });
  expect(await isActive(token)).toBe(false);
  expect((await browser.open("/profile")).url).toContain("/sign-in");
});

test("signing in never leads to another site", async () => {
  const foreign = ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"];
  const disguised = ["/.//evil.example/", "/profile/..//evil.example/", "/./\\evil.example/"];
  for (const next of [...foreign, ...disguised]) {
    const browser = createBrowser(identity.config.authUrl);
    const page = await browser.open(`/sign-in?${new URLSearchParams({ next })}`);
    const { email, password: secret } = identity.owner;
    const after = await browser.submit(page, "/sign-in", { email, password: secret });
    expect(after.url).toBe(`${identity.config.baseUrl}/account`);
  }
});

test("pages are never cached or framed, and run no script but Kept's own", async () => {
  const { headers } = await createBrowser(identity.config.authUrl).open("/sign-in");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(headers.get("content-security-policy")).toContain("script-src 'self';");
  expect(headers.get("referrer-policy")).toBe("same-origin");
});

test("every page has an icon, which browsers keep and in which nothing can run", async () => {
  const browser = createBrowser(identity.config.authUrl);
  const { text } = await browser.open("/sign-in");
  const icon = await browser.open(/rel="icon" [^>]*href="([^"]+)"/.exec(text)?.[1] ?? "");
  expect(icon.status).toBe(200);
  expect(icon.text).toStartWith("<svg");
  expect(icon.headers.get("content-type")).toStartWith("image/svg+xml");
  expect(icon.headers.get("cache-control")).toContain("immutable");
  expect(icon.headers.get("content-security-policy")).toContain("default-src 'none'");
});

test("sign-up can be closed", async () => {
  const closed = await startTestIdentity({ SIGN_UP: "closed" });
  const browser = createBrowser(closed.config.authUrl);
  expect((await browser.open("/sign-up")).status).toBe(403);
  expect((await browser.open("/sign-in")).text).not.toContain("/sign-up");
  await closed.stop();
});
