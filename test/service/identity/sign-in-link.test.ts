import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { migrate } from "../../../workers/upkeep/migrate.ts";
import { type Browser, createBrowser } from "../../support/identity/browser.ts";
import { signedUp, startTestIdentity, type TestIdentity } from "../../support/identity/support.ts";

const path = "/sign-in/link";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity();
});
afterAll(() => identity.stop());

/** The output of `npm run owner`, run beside the provider with only the database's address. */
async function owner(...given: string[]): Promise<{ output: string; complaint: string; code: number }> {
  const command = [process.execPath, join(import.meta.dir, "../../../api/cli/owner.ts"), ...given];
  const env = { PATH: process.env.PATH, DATABASE_URL: identity.config.databaseUrl };
  const cli = Bun.spawn(command, { env, cwd: "/", stdio: ["ignore", "pipe", "pipe"] });
  const [output, complaint] = await Promise.all([cli.stdout.text(), cli.stderr.text()]);
  return { output, complaint, code: await cli.exited };
}

const newLink = async () => /http\S+/.exec((await owner()).output)?.[0] ?? "no link";

/** Presses the button on the link's page. The provider's own page shows who is signed in after that. */
async function press(browser: Browser, link: string, answers: Record<string, string> = {}) {
  const answer = await browser.submit(await browser.open(link), path, answers);
  return { answer, profile: await browser.open("/profile") };
}

test("the link leads to this provider and signs the owner in, once", async () => {
  const link = await newLink();
  expect(link).toStartWith(`${identity.config.authUrl}${path}?token=`);
  const { answer, profile } = await press(createBrowser(identity.config.authUrl), link);
  expect(answer.url).toBe(`${identity.config.baseUrl}/account/sign-in`);
  expect(profile.text).toContain("owner@localhost");
  const stranger = createBrowser(identity.config.authUrl);
  expect(await stranger.open(link)).toMatchObject({ status: 410 });
  expect((await stranger.open("/profile")).url).toContain("/sign-in?");
});

test("opening it uses nothing up and signs nobody in; two who press the button are one sign-in", async () => {
  const link = await newLink();
  const browsers = [createBrowser(identity.config.authUrl), createBrowser(identity.config.authUrl)];
  const pages = await Promise.all(browsers.map((browser) => browser.open(link)));
  for (const browser of browsers) expect((await browser.open("/profile")).url).toContain("/sign-in?");
  const answers = await Promise.all(
    browsers.map((browser, n) => browser.submit(pages[n] ?? expect.unreachable(), path, {})),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([0, 410]);
});

test("its page tells its address to nobody, and takes forms of its own browser only", async () => {
  const link = await newLink();
  const browser = createBrowser(identity.config.authUrl);
  const page = await browser.open(link);
  expect(page.headers.get("referrer-policy")).toBe("strict-origin");
  expect(page.headers.get("cache-control")).toBe("no-store");
  const other = createBrowser(identity.config.authUrl);
  await other.open("/sign-in");
  expect(await other.submit(page, path, {})).toMatchObject({ status: 403 });
  const elsewhere = createBrowser(identity.config.authUrl, "https://evil.example");
  expect(await elsewhere.submit(await elsewhere.open(link), path, {})).toMatchObject({ status: 403 });
  expect((await press(browser, link)).profile.text).toContain("owner@localhost");
});

test("only the newest link works, for ten minutes, and at the address it was made for", async () => {
  const browser = createBrowser(identity.config.authUrl);
  const older = await newLink();
  const link = await newLink();
  expect(await browser.open(older)).toMatchObject({ status: 410 });
  const [{ minutes, bytes } = {}] = await identity.sql(`
    select extract(epoch from expires_at - now()) / 60 as minutes, length(token_hash) as bytes
    from identity.sign_in_links`);
  expect(Number(minutes)).toBeWithin(9, 10.01);
  expect(bytes).toBe(32);
  await identity.sql("update identity.sign_in_links set address = 'https://elsewhere.example'");
  expect(await browser.open(link)).toMatchObject({ status: 410 });
  await identity.sql(`update identity.sign_in_links
    set address = '${identity.config.authUrl}', expires_at = now() - interval '1 second'`);
  expect(await browser.open(link)).toMatchObject({ status: 410 });
});

test("a new password can be chosen with it, which ends the owner's other sessions", async () => {
  const lost = createBrowser(identity.config.authUrl);
  await press(lost, await newLink());
  const link = await newLink();
  const browser = createBrowser(identity.config.authUrl);
  const short = await browser.submit(await browser.open(link), path, { password: "short" });
  expect(short).toMatchObject({ status: 422 });
  const { profile } = await press(browser, link, { password: "an easy one to keep" });
  expect(profile.text).toContain("owner@localhost");
  expect((await lost.open("/profile")).url).toContain("/sign-in?");
  const fresh = createBrowser(identity.config.authUrl);
  const answers = { email: "owner@localhost", password: "an easy one to keep" };
  const signedIn = await fresh.submit(await fresh.open("/sign-in"), "/sign-in", answers);
  expect(signedIn.url).toBe(`${identity.config.baseUrl}/account`);
});

test("with a new password tokens, apps and passkeys end too where somebody else may know the old one", async () => {
  const left = async () =>
    (await identity.sql("select from identity.grants where client_id <> 'kept'")).length;
  const browser = createBrowser(identity.config.authUrl);
  const page = await browser.open(await newLink());
  expect(page.text).toContain("Somebody else may know it");
  const had = await left();
  expect(had).toBeGreaterThan(0);
  const answers = { connections: "end", password: "" };
  expect(await browser.submit(page, path, answers)).toMatchObject({ status: 422 });
  expect(await left()).toBe(had);
  await browser.submit(page, path, { ...answers, password: "one that nobody knows" });
  expect(await left()).toBe(0);
});

test("whoever was signed in before in this browser is so no longer", async () => {
  const browser = await signedUp(identity.config, "ada@example.org");
  const { profile } = await press(browser, await newLink());
  expect(profile.text).toContain("owner@localhost");
  expect(profile.text).not.toContain("ada@example.org");
});

test("for another account its address is given, and a wrong one makes no link at all", async () => {
  await signedUp(identity.config, "mona@example.org");
  expect((await owner("Mona@example.org")).output).toContain("sign in as mona@example.org");
  for (const given of ["nobody@example.org", "nonsense", ""]) {
    const { output, complaint, code } = await owner(given);
    expect({ output, code }).toEqual({ output: "", code: 1 });
    expect(complaint).toContain("There is no account with the address");
  }
});

test("on a database from before there were links, the owner is found and nobody else", async () => {
  await signedUp(identity.config);
  await identity.sql(`
    drop table identity.sign_in_links;
    update identity.secrets set value = 'true' where name = 'owner';
    delete from mikro_orm_migrations where name = '20261130-sign-in-links'`);
  expect((await owner()).code).toBe(1);
  await migrate(identity.config.databaseUrl, "error");
  expect((await owner()).output).toContain("sign in as owner@localhost");
});

test("an owner with another address keeps the link, and a deleted one has none", async () => {
  await signedUp(identity.config, "bob@example.org");
  await identity.sql(
    "update identity.accounts set email = 'grace@example.org' where email = 'owner@localhost'",
  );
  expect((await owner()).output).toContain("sign in as grace@example.org");
  await identity.sql("delete from identity.accounts where email = 'grace@example.org'");
  const { complaint, code } = await owner();
  expect(code).toBe(1);
  expect(complaint).toStartWith("There is no owner to sign in");
});
