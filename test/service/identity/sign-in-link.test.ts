import { afterAll, expect, test } from "bun:test";
import { createSignInLink } from "../../../api/identity/accounts/links.ts";
import { runCli } from "../../support/cli.ts";
import { type Browser, createBrowser } from "../../support/identity/browser.ts";
import { isSignedIn, signedUp, signIn, startTestIdentity } from "../../support/identity/support.ts";
import { withPool } from "../../support/signed.ts";

const path = "/sign-in/link";
const identity = await startTestIdentity();
const { config, sql } = identity;
afterAll(identity.stop);

/** `npm run owner`, beside the provider with only the database's address. */
const owner = (...given: string[]) => runCli("owner", { DATABASE_URL: config.databaseUrl }, ...given);

const create = (given?: string) => withPool(config, (pool) => createSignInLink(pool, given));
const newLink = async () => (await create())?.link ?? "no link";
const newBrowser = () => createBrowser(config.authUrl);
const profileOf = async (browser: Browser) => (await browser.open("/profile")).text;

/** Presses the button on the link's page. */
const press = async (browser: Browser, link: string, answers: Record<string, string> = {}) =>
  browser.submit(await browser.open(link), path, answers);

test("the command's link leads to this provider and signs the owner in, once", async () => {
  const link = /http\S+/.exec((await owner()).output)?.[0] ?? "no link";
  expect(link).toStartWith(`${config.authUrl}${path}?token=`);
  const browser = newBrowser();
  const answer = await press(browser, link);
  expect(answer.url).toBe(`${config.baseUrl}/account`);
  expect(await profileOf(browser)).toContain("owner@localhost");
  const stranger = newBrowser();
  expect((await stranger.open(link)).status).toBe(410);
  expect(await isSignedIn(stranger)).toBe(false);
});

test("opening it uses nothing up and signs nobody in; two who press the button are one sign-in", async () => {
  const link = await newLink();
  const browsers = [newBrowser(), newBrowser()];
  const pages = await Promise.all(browsers.map((browser) => browser.open(link)));
  for (const browser of browsers) expect(await isSignedIn(browser)).toBe(false);
  const answers = await Promise.all(
    browsers.map((browser, n) => browser.submit(pages[n] ?? expect.unreachable(), path, {})),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 410]);
});

test("its page tells its address to nobody, and takes forms of its own browser only", async () => {
  const link = await newLink();
  const browser = newBrowser();
  const page = await browser.open(link);
  expect(page.headers.get("referrer-policy")).toBe("strict-origin");
  expect(page.headers.get("cache-control")).toBe("no-store");
  const other = newBrowser();
  await other.open("/sign-in");
  expect((await other.submit(page, path, {})).status).toBe(403);
  expect((await press(createBrowser(config.authUrl, "https://evil.example"), link)).status).toBe(403);
  await press(browser, link);
  expect(await profileOf(browser)).toContain("owner@localhost");
});

test("only the newest link works, for ten minutes, and at the address it was made for", async () => {
  const browser = newBrowser();
  const [older, link] = [await newLink(), await newLink()];
  const [{ minutes, bytes } = {}] = await sql(`
    select extract(epoch from expires_at - now()) / 60 as minutes, length(token_hash) as bytes
    from identity.sign_in_links`);
  expect(Number(minutes)).toBeWithin(9, 10.01);
  expect(bytes).toBe(32);
  const statuses = [(await browser.open(older)).status];
  for (const change of [
    "address = 'https://elsewhere.example'",
    `address = '${config.authUrl}'`,
    "expires_at = now() - interval '1 second'",
  ]) {
    await sql(`update identity.sign_in_links set ${change}`);
    statuses.push((await browser.open(link)).status);
  }
  expect(statuses).toEqual([410, 410, 200, 410]);
});

test("a new password can be chosen with it, which ends the owner's other sessions", async () => {
  const lost = newBrowser();
  await press(lost, await newLink());
  const [link, browser] = [await newLink(), newBrowser()];
  expect((await press(browser, link, { password: "short" })).status).toBe(422);
  await press(browser, link, { password: "an easy one to keep" });
  expect(await profileOf(browser)).toContain("owner@localhost");
  expect(await isSignedIn(lost)).toBe(false);
  const { page } = await signIn(config, "owner@localhost", "an easy one to keep");
  expect(page.url).toEndWith("/profile");
});

test("with a new password tokens, apps and passkeys end too where somebody else may know the old one", async () => {
  const left = async () => (await sql("select from identity.grants where client_id <> 'kept'")).length;
  const browser = newBrowser();
  const page = await browser.open(await newLink());
  expect(page.text).toContain("Somebody else may know it");
  const had = await left();
  expect(had).toBeGreaterThan(0);
  const answers = { connections: "end", password: "" };
  expect((await browser.submit(page, path, answers)).status).toBe(422);
  expect(await left()).toBe(had);
  await browser.submit(page, path, { ...answers, password: "one that nobody knows" });
  expect(await left()).toBe(0);
});

test("whoever was signed in before in this browser is so no longer", async () => {
  const browser = await signedUp(config, "ada@example.org");
  await press(browser, await newLink());
  const profile = await profileOf(browser);
  expect(profile).toContain("owner@localhost");
  expect(profile).not.toContain("ada@example.org");
});

test("for another account its address is given, and a wrong one makes no link at all", async () => {
  await signedUp(config, "mona@example.org");
  expect((await owner("Mona@example.org")).output).toContain("sign in as mona@example.org");
  for (const given of ["nobody@example.org", "nonsense"]) expect(await create(given)).toBeUndefined();
  const complaint = expect.stringContaining("There is no account with the address");
  expect(await owner("")).toEqual({ output: "", complaint, code: 1 });
});

test("an owner with another address keeps the link, and a deleted one has none", async () => {
  await signedUp(config, "bob@example.org");
  const ofGrace = "where email = 'grace@example.org'";
  await sql("update identity.accounts set email = 'grace@example.org' where email = 'owner@localhost'");
  expect((await create())?.email).toBe("grace@example.org");
  await sql(`delete from identity.accounts ${ofGrace}`);
  const { complaint, code } = await owner();
  expect([code, complaint]).toEqual([1, expect.stringMatching(/^There is no owner to sign in/)]);
});
