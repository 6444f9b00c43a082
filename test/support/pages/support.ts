import { afterAll, test } from "bun:test";
import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { createLog, type Log } from "../../../shared/process/observe/log.ts";
import { freePort, runStack, type Stack, type StackOptions, startStack } from "../../harness.ts";
import { temporaryFolder } from "../folder.ts";
import type { Browser as PlainBrowser } from "../identity/browser.ts";
import {
  identityOf,
  newestLink,
  signedUp,
  signedUpByMail,
  type TestIdentity,
  tokenByForm,
} from "../identity/support.ts";
import { once } from "../once.ts";
import type { Mailbox } from "../servers/mailbox.ts";
import { wordsIn } from "../text-table.ts";
import { callsOf } from "./plain.ts";

/** This headless build of the browser takes a third of the time, so it is preferred. */
const programs = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"] as const;
const executablePath = Bun.env.CHROMIUM_PATH ?? programs.find(existsSync) ?? programs[0];
const hasBrowser = existsSync(executablePath);
if (!hasBrowser)
  console.warn(`SKIPPED: tests in a real browser need ${executablePath} (Debian's chromium-headless-shell).`);

/** A test that needs a real browser; without one it is skipped with the reason. */
export const browserTest = test.skipIf(!hasBrowser);

export type Site = Readonly<{
  stack: Stack;
  identity: TestIdentity;
  /** An empty page in a browser profile of its own. */
  open(options?: BrowserContextOptions): Promise<Page>;
}>;

type RunningSite = Site & Readonly<{ stop(): Promise<void> }>;

/** The whole service with its built-in provider and a real browser, shared by the files of this process. */
export const useSite = (): Promise<Site> => once("site", () => runSite(runStack, {}));

/** The same for one test file, with settings of its own. */
export async function startSite(env: Record<string, string> = {}, log?: Log): Promise<Site> {
  const started: { site?: RunningSite } = {};
  // Registered before the stack's own, so that it runs first: the provider uses the stack's database.
  afterAll(() => started.site?.stop());
  started.site = await runSite(startStack, env, log);
  return started.site;
}

async function runSite(
  start: (options: StackOptions) => Promise<Stack>,
  env: Record<string, string>,
  log?: Log,
): Promise<RunningSite> {
  const dataDir = temporaryFolder("pages");
  const port = freePort();
  const provider = {
    // Browsers make passkeys for `localhost`, and for no address.
    ...{ HOST: "", PORT: String(port), BASE_URL: `http://localhost:${port}` },
    AUTH_URL: "",
    AUTH_CLIENT_ID: "",
    AUTH_CLIENT_SECRET: "",
    DATA_DIR: dataDir,
    TOKEN_CACHE_SECONDS: "1",
  };
  const stack = await start({ env: { ...provider, ...env }, ...(log && { log }) });
  const identity = identityOf(stack, {
    news: [],
    log: log ?? createLog("test", "silent"),
    stop: async () => {},
  });
  let browser: Promise<Browser> | undefined;
  return {
    stack,
    identity,
    async open(options) {
      browser ??= launchBrowser();
      const page = await (await (await browser).newContext({ locale: "en-GB", ...options })).newPage();
      page.setDefaultTimeout(30_000);
      return page;
    },
    async stop() {
      await (await browser)?.close();
      await identity.stop();
    },
  };
}

/**
 * The browser has no sandbox in a container. The next three arguments save processes, and the others keep it from
 * calling home.
 */
const browserFlags = wordsIn(`
  --no-sandbox --no-zygote --disable-site-isolation-trials --renderer-process-limit=1 --disable-gpu
  --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync`);

export const launchBrowser = (): Promise<Browser> => chromium.launch({ executablePath, args: browserFlags });

const password = "correct horse battery";

/** Signs up in Europe/Berlin, from the account pages and back to them; by mail if mail is sent. */
export async function signUp(
  site: Site,
  page: Page,
  email = `${crypto.randomUUID()}@example.org`,
  mailbox?: Mailbox,
) {
  await page.goto(`${site.stack.config.baseUrl}/account`);
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByLabel("Time zone").selectOption("Europe/Berlin");
  await page.getByRole("button", { name: "Create account" }).click();
  if (mailbox) {
    await page.getByRole("heading", { name: "Look into your mail" }).waitFor();
    await page.goto(newestLink(mailbox, email));
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Create account" }).click();
  }
  await page.waitForURL(`${site.stack.config.baseUrl}/account`);
}

/** A new person in Europe/Berlin, signed in in a browser without scripts. */
export async function signedUpPerson({ identity }: Site, mailbox?: Mailbox) {
  const email = `${crypto.randomUUID()}@example.org`;
  const answers = { time_zone: "Europe/Berlin" };
  const browser = mailbox
    ? await signedUpByMail(identity.config, mailbox, email, answers)
    : await signedUp(identity.config, email, answers);
  // The first page takes over the address and the zone.
  await browser.open("/account");
  const newToken = (name: string) => tokenByForm(browser, name);
  return { email, browser, newToken };
}

/**
 * The same person in a real browser, on an empty page, with a token. They signed up without the real browser, which
 * takes a fraction of the time.
 */
export async function signedInPerson(
  site: Site,
  { mailbox, ...options }: BrowserContextOptions & { mailbox?: Mailbox } = {},
) {
  const { browser, ...person } = await signedUpPerson(site, mailbox);
  const page = await site.open({ timezoneId: "Europe/Berlin", ...options });
  await page.context().addCookies(cookiesOf(browser, site.stack.config.baseUrl));
  const token = await person.newToken("Claude Desktop");
  return { ...person, page, token, ...callsOf(site.stack, token) };
}

function cookiesOf({ cookies }: PlainBrowser, site: string) {
  const domain = new URL(site).hostname;
  return [...cookies].map(([name, { value, path }]) => ({ name, value, path, domain, httpOnly: true }));
}

/** Makes a personal access token on the provider's page, by the scopes' checkboxes. */
export async function createToken(site: Site, page: Page, name: string, scopes: readonly string[]) {
  await page.goto(`${site.identity.config.authUrl}/profile/api-tokens`);
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Only what I choose").check();
  for (const scope of scopes) await page.locator(`input[value="${scope}"]`).check();
  await page.getByRole("button", { name: "Create token" }).click();
  return (await page.locator(".created .secret").first().textContent()) ?? "";
}

/** Presses a button and waits for what the page then says. */
export async function press(page: Page, name: string | RegExp, said?: string | RegExp): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
  if (said !== undefined) await page.getByText(said).first().waitFor();
}

/** Adds a line in words on the page that is open. */
export async function addInWords(page: Page, line: string, said?: string): Promise<void> {
  const field = page.getByLabel("Add a todo or a habit in words");
  await field.fill(line);
  await field.press("Enter");
  if (said !== undefined) await page.getByText(said).first().waitFor();
}
