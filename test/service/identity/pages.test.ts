import { expect, test } from "bun:test";
import { sealedCookie } from "../../../api/doors/pages/session/sealed-cookie.ts";
import { type Browser, createBrowser, type Page } from "../../support/identity/browser.ts";
import {
  authorizationRequest,
  changePassword,
  connect,
  consent,
  password,
  registerApp,
  signedUp,
  startTestIdentity,
  tokenIn,
  useIdentity,
} from "../../support/identity/support.ts";

const tokensPath = "/profile/api-tokens";
const identity = await useIdentity();
const { config, sql, owner } = identity;
const asOwner = { email: owner.email, password: owner.password };

const isActive = async (token: string) => (await identity.introspect(token)).active;

type Answers = Record<string, string | string[]>;

const createToken = (page: Page, browser: Browser, answers: Answers = {}) =>
  browser.submit(page, tokensPath, {
    ...{ name: "Script", days: "30", preset: "custom", scope: ["habits:read"] },
    ...answers,
  });

/** A new person with a token. */
async function withToken(answers?: Answers) {
  const browser = await signedUp(config);
  const page = await createToken(await browser.open(tokensPath), browser, answers);
  return { browser, page, token: tokenIn(page) };
}

test("the owner signs in with the printed password", async () => {
  const browser = createBrowser(config.authUrl);
  const page = await browser.submit(await browser.open("/sign-in"), "/sign-in", asOwner);
  expect(page.url).toBe(`${config.baseUrl}/account`);
  expect((await browser.open(tokensPath)).text).toContain("Owner&#x27;s first token");
});

test("a token needs a name, a permission and a listed lifetime", async () => {
  const browser = await signedUp(config);
  const page = await browser.open(tokensPath);
  for (const odd of [{ name: " " }, { scope: [] }, { scope: ["root"] }, { days: "100000" }]) {
    const answer = await createToken(page, browser, odd);
    expect([answer.status, tokenIn(answer)]).toEqual([422, ""]);
  }
});

test("an account has at most fifty tokens and fifty apps, also when they are made at the same moment", async () => {
  const { browser, token } = await withToken();
  const { sub, scope } = await identity.introspect(token);
  expect(scope).toBe("habits:read");
  const fill = (client: string, count: number) =>
    sql(`insert into identity.grants (id, account_id, client_id, payload, expires_at)
      select gen_random_uuid()::text, '${sub}', '${client}', '{}', now() + interval '1 day'
      from generate_series(1, ${count})`);
  await fill("personal-access-tokens", 47);
  const form = await browser.open(tokensPath);
  const answers = await Promise.all(Array.from({ length: 6 }, () => createToken(form, browser)));
  const refused = answers.filter(({ status }) => status === 422);
  expect(refused.length).toBeGreaterThanOrEqual(4);
  expect(refused[0]?.text).toContain("You have 50 tokens");
  const [row] = await sql(`select count(*)::int as count from identity.grants where account_id = '${sub}'`);
  expect(row?.count).toBeLessThanOrEqual(50);

  await fill("an-app", 50);
  const { address } = authorizationRequest(config, { client_id: await registerApp(config) });
  const answer = await consent(browser, await browser.open(address), ["habits:read"]);
  expect(answer).toMatchObject({ status: 422, text: expect.stringContaining("You have 50 connected apps") });
});

test("a person can disconnect an app, and nobody else's", async () => {
  const [mine, theirs] = [await signedUp(config), await withToken()];
  const clientId = await registerApp(config);
  const { access_token } = await connect(config, mine, { clientId, scope: "todos:read" });
  const id = String((await identity.introspect(access_token)).jti);
  await theirs.browser.submit(theirs.page, `${tokensPath}/revoke`, { id });
  expect(await isActive(access_token)).toBe(true);
  await mine.submit(await mine.open(tokensPath), `${tokensPath}/revoke`, { id });
  expect(await isActive(access_token)).toBe(false);
});

test("names with markup in them stay text, on the list and on the consent page", async () => {
  const name = `<img src=x onerror="alert(1)">`;
  const { browser, page } = await withToken({ name });
  expect([page.text.includes("<img"), page.text.includes("&lt;img src=x")]).toEqual([false, true]);
  const clientId = await registerApp(config, { client_name: name });
  await connect(config, browser, { clientId, scope: "todos:read" });
  expect((await browser.open(tokensPath)).text).not.toContain("<img");
});

test("a form without its token, from another site or from another browser is refused", async () => {
  const [browser, other] = [await signedUp(config), await signedUp(config)];
  const page = await browser.open(tokensPath);
  const foreign = /name="csrf" value="([^"]+)"/.exec((await other.open(tokensPath)).text)?.[1] ?? "";
  for (const csrf of ["", "forged", foreign])
    expect((await createToken(page, browser, { csrf })).status).toBe(403);
  const elsewhere = createBrowser(config.authUrl, "https://evil.example");
  for (const [name, cookie] of browser.cookies) elsewhere.cookies.set(name, cookie);
  expect((await elsewhere.submit(page, "/account/sign-out", {})).status).toBe(403);
});

test("a new password can end every token and app, and says what became of them", async () => {
  const { browser, token } = await withToken();
  const change = (more = {}) => changePassword(browser, { new_password: password, ...more });
  expect((await change()).text).toContain("Your tokens, connected apps and passkeys go on working");
  expect(await isActive(token)).toBe(true);
  const { text } = await change({ connections: "end" });
  expect(text).toContain("Your tokens, connected apps and passkeys have ended");
  expect(await isActive(token)).toBe(false);
});

test("signing in never leads to another site", async () => {
  const foreign = ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"];
  const disguised = ["/.//evil.example/", "/profile/..//evil.example/", "/./\\evil.example/"];
  for (const next of [...foreign, ...disguised]) {
    const browser = createBrowser(config.authUrl);
    const page = await browser.open(`/sign-in?${new URLSearchParams({ next })}`);
    expect((await browser.submit(page, "/sign-in", asOwner)).url).toBe(`${config.baseUrl}/account`);
  }
});

test("pages are never cached or framed, run no script but Kept's own, and have an icon in which nothing can run", async () => {
  const browser = createBrowser(config.authUrl);
  const { headers, text } = await browser.open("/sign-in");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(headers.get("content-security-policy")).toContain("script-src 'self';");
  expect(headers.get("referrer-policy")).toBe("same-origin");
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

/** The attributes of a cookie in Set-Cookie, in lower case and without its value. */
function attributesOf(lines: readonly string[], name: string): string[] {
  const line = lines.find((one) => one.startsWith(`${name}=`)) ?? "";
  return line.toLowerCase().split("; ").slice(1);
}

test("with https the provider's cookies are its host's own, and every answer keeps browsers on https", async () => {
  const secure = await startTestIdentity({ BASE_URL: "https://kept.example" });
  const here = `http://localhost:${secure.config.port}`;
  const signInPage = await fetch(`${here}/sign-in`);
  const browser = attributesOf(signInPage.headers.getSetCookie(), "__Host-kept_browser");
  expect(browser).toEqual(expect.arrayContaining(["path=/", "secure", "httponly"]));
  expect(browser.join()).not.toContain("domain");

  const client_id = await registerApp({ ...secure.config, authUrl: here });
  const { address } = authorizationRequest(secure.config, { client_id });
  const asked = await fetch(`${here}${address}`, { redirect: "manual" });
  expect(attributesOf(asked.headers.getSetCookie(), "__Secure-kept_interaction")).toContain("secure");
  const documents = ["/jwks", "/.well-known/openid-configuration", "/health/live", "/metrics"];
  for (const path of ["/sign-in", "/token", "/nothing", ...documents]) {
    const { headers } = await fetch(`${here}${path}`);
    expect([path, headers.get("strict-transport-security")]).toEqual([path, "max-age=31536000"]);
    expect([path, headers.get("x-content-type-options")]).toEqual([path, "nosniff"]);
  }
  await secure.stop();
});

test("so has the session of the account pages", async () => {
  const key = [new Uint8Array(32)] as const;
  const keys = { session: key, signIn: key, seen: key, feed: key, sent: key };
  const at = (baseUrl: string) => sealedCookie<{ sub: string }>({ config: { baseUrl }, keys }, "session", 60);
  const secure = at("https://kept.example");
  const line = await secure.seal({ sub: "ada" });
  expect(attributesOf([line], "__Host-kept_account")).toEqual(expect.arrayContaining(["path=/", "secure"]));
  const headers = { cookie: line.split(";")[0] ?? "" };
  const request = new Request("https://kept.example/account", { headers });
  expect((await secure.open(request))?.sub).toBe("ada");
  const plain = at("http://kept.example");
  expect(attributesOf([await plain.seal({ sub: "ada" })], "kept_account")).toContain("path=/account");
});
