import { afterAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { newestLink } from "../../../support/identity/support.ts";
import { axeFaults } from "../../../support/pages/axe.ts";
import { browserTest, startSite } from "../../../support/pages/support.ts";
import { startMailbox } from "../../../support/servers/mailbox.ts";

const mailbox = await startMailbox();
const site = await startSite({ SMTP_URL: mailbox.url });
const { baseUrl, authUrl } = site.stack.config;
afterAll(() => mailbox.stop());

const email = "ada@example.org";
const password = "correct horse battery";
const newPassword = "an easy one to keep";

/** No rule of axe-core is broken, and a phone of 320 px scrolls in one direction only. */
async function check(page: Page): Promise<void> {
  expect({ url: page.url(), faults: await axeFaults(page) }).toEqual({ url: page.url(), faults: [] });
  const size = page.viewportSize() ?? { width: 1000, height: 700 };
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  await page.setViewportSize(size);
}

type Link = Readonly<{ href: string; label: string; current: string | null }>;

const readLinks = `[...document.querySelectorAll("header nav a")].map((link) =>
  ({ href: link.href, label: link.textContent, current: link.getAttribute("aria-current") }))`;

/** The links of the header with their whole addresses, the current one, and the button. */
async function header(page: Page) {
  const links = (await page.evaluate(readLinks)) as Link[];
  const marked = links.filter(({ current }) => current !== null);
  return {
    targets: links.map(({ href, label }) => `${label} ${href}`),
    current: marked.map(({ label, current }) => `${label} ${current}`),
    buttons: await page.locator("header button", { hasText: "Sign out" }).count(),
  };
}

async function signUpByMail(page: Page) {
  await page.goto(`${authUrl}/sign-up`);
  const zone = await page.getByLabel("Time zone").inputValue();
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Look into your mail" }).waitFor();
  await page.goto(newestLink(mailbox, email));
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL(`${baseUrl}/account`);
  return zone;
}

/** An authenticator inside the browser that needs no finger. */
async function addAuthenticator(page: Page) {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("WebAuthn.enable");
  const options = { protocol: "ctap2", transport: "internal", hasResidentKey: true } as const;
  await devTools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...options,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

async function signInByPassword(page: Page, secret: string) {
  await page.goto(`${baseUrl}/account`);
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(secret);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

const isSignedIn = async (page: Page, address: string) => {
  await page.goto(address);
  return !new URL(page.url()).pathname.startsWith("/sign-in");
};

/** Both ports, because each has a session of its own. */
const whereSignedIn = async (page: Page) => [
  await isSignedIn(page, `${baseUrl}/account`),
  await isSignedIn(page, `${authUrl}/profile`),
];

browserTest(
  "one person gets in and out: one header, one zone, a passkey, sessions and a forgotten password",
  async () => {
    const page = await site.open({ timezoneId: "Asia/Tokyo" });
    expect(await signUpByMail(page)).toBe("Asia/Tokyo");
    const onAccount = await header(page);
    await page.goto(`${authUrl}/profile`);
    const onProvider = await header(page);
    expect(onProvider.targets).toEqual(onAccount.targets);
    expect(onProvider.buttons).toEqual(onAccount.buttons);
    expect([onAccount.current, onProvider.current]).toEqual([["Today page"], ["Settings true"]]);
    expect(await page.getByText("Times are those of").textContent()).toContain("Asia/Tokyo");

    await addAuthenticator(page);
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByLabel("Name").fill("Test key");
    await check(page);
    await page.getByRole("button", { name: "Make the passkey" }).click();
    await page.getByText("Your passkey is added.").waitFor();
    await page.getByText("Test key").waitFor();
    await check(page);

    await page.getByRole("button", { name: "Sign out", exact: true }).first().click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
    expect(await whereSignedIn(page)).toEqual([false, false]);
    await check(page);
    await page.goto(`${authUrl}/sign-in`);
    const sent = page.waitForRequest(`${authUrl}/sign-in/passkey`);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    const data = (await sent).postData() ?? "";
    await page.getByRole("heading", { name: "Today" }).waitFor();

    // The same answer opens nothing a second time, even if its counter would allow it.
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await site.identity.sql("update identity.passkeys set counter = 0");
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const replayed = await page.request.post(`${authUrl}/sign-in/passkey`, { data, headers });
    expect([replayed.status(), (await replayed.text()).includes("No account here has this passkey")]).toEqual(
      [422, true],
    );
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("heading", { name: "Today" }).waitFor();

    const other = await site.open();
    await signInByPassword(other, password);
    await other.waitForURL(`${baseUrl}/account`);
    await page.goto(`${authUrl}/profile`);
    expect(await page.getByText("This browser").count()).toBe(1);
    await page.getByRole("button", { name: "Sign out Chrome on Linux" }).click();
    await page.getByText("That browser is signed out.").waitFor();
    expect(await whereSignedIn(other)).toEqual([false, false]);
    expect(await whereSignedIn(page)).toEqual([true, true]);

    await other.goto(`${authUrl}/sign-in`);
    await other.getByRole("link", { name: "Forgot your password?" }).click();
    await check(other);
    await other.getByLabel("E-mail address").fill(email);
    const mails = mailbox.mails.length;
    await other.getByRole("button", { name: "Send the link" }).click();
    await other.getByRole("heading", { name: "Look into your mail" }).waitFor();
    for (let n = 0; n < 100 && mailbox.mails.length === mails; n++) await Bun.sleep(20);
    await other.goto(newestLink(mailbox, email));
    await check(other);
    await other.getByLabel("New password").fill(newPassword);
    await other.getByRole("button", { name: "Save and sign in" }).click();
    await other.waitForURL(`${baseUrl}/account`);
    expect(await whereSignedIn(page)).toEqual([false, false]);

    await other.getByRole("button", { name: "Sign out" }).click();
    expect(await whereSignedIn(other)).toEqual([false, false]);
  },
  60_000,
);
