import { afterAll } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { freePort, type Stack, startStack } from "../harness.ts";
import { runIdentity, type TestIdentity } from "../identity/support.ts";

const executablePath = Bun.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

/** Without Debian's package `chromium` (or CHROMIUM_PATH) there is no browser to test with. */
export const hasBrowser = existsSync(executablePath);
if (!hasBrowser)
  console.warn(`SKIPPED: the page tests need a browser, and ${executablePath} does not exist.`);

export type Site = Readonly<{
  stack: Stack;
  identity: TestIdentity;
  /** A browser profile of its own. */
  visitor(options?: BrowserContextOptions): Promise<BrowserContext>;
}>;

/** The whole service with its built-in provider and a real browser, for one test file. */
export async function startSite(env: Record<string, string> = {}): Promise<Site> {
  // Registered before the stack's own, so that it runs first: the provider uses the stack's database.
  let browser: Browser | undefined;
  let identity: TestIdentity | undefined;
  afterAll(async () => {
    await browser?.close();
    await identity?.stop();
  });
  const stack = await startStack({
    env: {
      AUTH_URL: "",
      IDENTITY_PORT: String(freePort()),
      DATA_DIR: await mkdtemp(join(tmpdir(), "kept-pages-")),
      TOKEN_CACHE_SECONDS: "1",
      ...env,
    },
  });
  identity = await runIdentity(stack.config);
  browser = await chromium.launch({ executablePath, args: browserFlags });
  const { newContext } = browser;
  return { stack, identity, visitor: (options) => newContext.call(browser, options) };
}

/** A container has no sandbox for it; the rest keeps it from calling home. */
const browserFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const password = "correct horse battery";

/** Signs up at the provider, coming from the account pages, and ends on them. */
export async function signUp(
  site: Site,
  page: Page,
  email = `${crypto.randomUUID()}@example.org`,
): Promise<void> {
  await page.goto(`${site.stack.config.baseUrl}/account`);
  await page.getByRole("link", { name: "Create an account" }).click();
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByLabel("Time zone").selectOption("Europe/Berlin");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL(`${site.stack.config.baseUrl}/account`);
}
