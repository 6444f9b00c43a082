import { afterAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { connectGuides, tokenGuides } from "../../api/web/connect-guides.ts";
import { ageProofs } from "../support/identity/proofs.ts";
import { newestLink } from "../support/identity/support.ts";
import { browserTest, press, signedInPerson, startSite } from "../support/pages/support.ts";
import { eventually } from "../support/reminder/stack.ts";
import { startMailbox } from "../support/servers/mailbox.ts";

const mailbox = await startMailbox();
const site = await startSite({ SMTP_URL: mailbox.url });
const { baseUrl, authUrl } = site.stack.config;
afterAll(() => mailbox.stop());

const email = "ada@example.org";
const password = "correct horse battery";

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
  const kind = { protocol: "ctap2", transport: "internal", hasResidentKey: true } as const;
  const user = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
  await devTools.send("WebAuthn.addVirtualAuthenticator", { options: { ...kind, ...user } });
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

/** The language in which messages to the person write dates. */
const localeOf = async () => {
  const [user] = await site.identity.sql(`select u.locale from users u
    join identity.accounts a on a.id = u.user_id where a.email = '${email}'`);
  return user?.locale;
};

browserTest("one person gets in and out: header, zone, passkey, sessions, forgotten password", async () => {
  const page = await site.open({ timezoneId: "Asia/Tokyo", locale: "en-US" });
  expect(await signUpByMail(page)).toBe("Asia/Tokyo");
  expect(await localeOf()).toBe("en-US-u-fw-sun-hc-h12");
  const onAccount = await header(page);
  await page.goto(`${authUrl}/profile`);
  const onProvider = await header(page);
  expect(onProvider.targets).toEqual(onAccount.targets);
  expect(onProvider.buttons).toEqual(onAccount.buttons);
  expect([onAccount.current, onProvider.current]).toEqual([["Today page"], ["Settings true"]]);
  expect(await page.getByText("Times are those of").textContent()).toContain("Asia/Tokyo");

  await addAuthenticator(page);
  await press(page, "Add a passkey");
  await page.getByLabel("Name").fill("Test key");
  await press(page, "Make the passkey", "Your passkey is added.");
  await page.getByText("Test key").waitFor();
  await page.getByRole("button", { name: "Sign out", exact: true }).first().click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
  expect(await whereSignedIn(page)).toEqual([false, false]);
  await page.goto(`${authUrl}/sign-in`);
  const sent = page.waitForRequest(`${authUrl}/sign-in/passkey`);
  await press(page, "Sign in with a passkey");
  const data = (await sent).postData() ?? "";
  await page.getByRole("heading", { name: "Today" }).waitFor();

  // The same answer opens nothing a second time, even if its counter would allow it.
  await press(page, "Sign out");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await site.identity.sql("update identity.passkeys set counter = 0");
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const replayed = await page.request.post(`${authUrl}/sign-in/passkey`, { data, headers });
  expect([replayed.status(), (await replayed.text()).includes("No account here has this passkey")]).toEqual([
    422,
    true,
  ]);
  await press(page, "Sign in with a passkey");
  await page.getByRole("heading", { name: "Today" }).waitFor();
  await ageProofs(site.identity);
  await page.goto(`${authUrl}/profile`);
  await press(page, /Remove the passkey/, "Is it you?");
  await press(page, "Go on with a passkey", "The passkey is removed.");

  const other = await site.open({ locale: "de-DE", timezoneId: "Europe/Berlin" });
  await signInByPassword(other, password);
  await other.waitForURL(`${baseUrl}/account`);
  expect(await localeOf()).toBe("en-GB-u-fw-mon-hc-h23");
  const travel = other.locator("[data-travel]");
  expect(await travel.innerText()).toContain("that of Europe/Berlin; Kept follows Asia/Tokyo.");
  await travel.getByRole("button", { name: "Keep Asia/Tokyo" }).click();
  await other.reload();
  expect(await travel.isVisible()).toBe(false);
  await other.evaluate("delete localStorage.journey");
  await other.reload();
  await press(other, "Follow this device");
  await other.goto(`${baseUrl}/account`);
  expect([await travel.isVisible(), await travel.getAttribute("data-travel")]).toEqual([
    false,
    "Europe/Berlin",
  ]);
  await page.goto(`${authUrl}/profile`);
  expect(await page.getByText("This browser").count()).toBe(1);
  await press(page, "Sign out Chrome on Linux", "That browser is signed out.");
  expect(await whereSignedIn(other)).toEqual([false, false]);
  expect(await whereSignedIn(page)).toEqual([true, true]);

  await other.goto(`${authUrl}/sign-in`);
  await other.getByRole("link", { name: "Forgot your password?" }).click();
  await other.getByLabel("E-mail address").fill(email);
  const mails = mailbox.mails.length;
  await press(other, "Send the link");
  await other.getByRole("heading", { name: "Look into your mail" }).waitFor();
  await eventually(() => mailbox.mails.length > mails);
  await other.goto(newestLink(mailbox, email));
  await other.getByLabel("New password").fill("an easy one to keep");
  await press(other, "Save and sign in");
  await other.waitForURL(`${baseUrl}/account`);
  expect(await whereSignedIn(page)).toEqual([false, false]);
  await press(other, "Sign out");
  expect(await whereSignedIn(other)).toEqual([false, false]);
});

/** Presses each button that copies the lines of a guide; no script but Kept's own may run. */
async function expectCopies(page: Page, guides: readonly Readonly<{ client: string; lines: string }>[]) {
  for (const { client, lines } of guides) {
    await press(page, `Copy the lines for ${client}`);
    await page.getByText(`Copied: the lines for ${client}`).waitFor({ state: "attached" });
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(lines);
  }
}

browserTest("a person copies lines, changes a token to its end, and moves reminders elsewhere", async () => {
  const permissions = ["clipboard-read", "clipboard-write"];
  const person = await signedInPerson(site, { mailbox, permissions });
  const { page } = person;
  const violations: string[] = [];
  page.on("console", (message) => message.type() === "error" && violations.push(message.text()));
  await page.goto(`${baseUrl}/account/connect`);
  for (const guide of connectGuides(baseUrl)) {
    await page.getByRole("link", { name: guide.client, exact: true }).click();
    await page.getByRole("heading", { name: guide.client, exact: true }).waitFor();
    await expectCopies(page, [guide]);
  }
  await page.goto(`${baseUrl}/docs`);
  await press(page, "Copy the lines for createTodo");
  await page.getByText("Copied: the lines for createTodo").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toContain('"title": "Water the plants"');
  await page.getByLabel("Search the API").fill("grace_days schedule");
  await page.getByText(/^\d+ found$/).waitFor();
  const shown = (id: string) => page.locator(`#${id}`).isVisible();
  expect([await shown("createHabit"), await shown("createTodo")]).toEqual([true, false]);

  await page.goto(`${authUrl}/profile/api-tokens`);
  expect(await page.getByLabel("todos:write").isVisible()).toBe(false);
  await page.getByLabel("Name").fill("Laptop script");
  await page.getByLabel("Everything", { exact: false }).last().check();
  await press(page, "Create token");
  const shownToken = async () => (await page.locator(".created .secret").first().textContent()) ?? "";
  const first = await shownToken();
  const statusBecomes = (token: string, status: number) =>
    eventually(async () => (await site.stack.rest("GET", "/todos", { token })).status === status);
  for (const summary of await page.locator(".created summary").all()) await summary.click();
  await expectCopies(page, tokenGuides(baseUrl, first));
  await page.reload();
  expect(await page.content()).not.toContain(first);
  await statusBecomes(first, 200);
  await page.getByRole("link", { name: "Change Laptop script" }).click();
  await page.getByLabel("Name").fill("Reader");
  for (const scope of ["todos:read", "todos:write"]) await page.getByLabel(scope).uncheck();
  await press(page, "Save", "Your changes are saved.");
  await statusBecomes(first, 403);
  await page.getByRole("link", { name: "Change Reader" }).click();
  await press(page, "Make a new secret");
  const second = await shownToken();
  await statusBecomes(first, 401);
  await statusBecomes(second, 403);
  await page.getByText("Revoke Reader?").click();
  await press(page, "Revoke Reader", "It has ended.");
  await statusBecomes(second, 401);
  expect(violations).toEqual([]);

  const byMail = async () => {
    await page.goto(`${baseUrl}/account/settings`);
    return page.locator("label", { hasText: "By e-mail" }).innerText();
  };
  expect(await byMail()).toContain(person.email);
  await page.getByLabel("By e-mail").check();
  await press(page, "Save", "Reminders go where you chose.");
  await page.goto(`${authUrl}/profile`);
  await page.getByText("Change my e-mail address").click();
  await page.getByLabel("New e-mail address").fill(`new-${person.email}`);
  await press(page, "Change address", "Your address changes when you use it");
  expect(await byMail()).toContain(person.email);
  await page.goto(newestLink(mailbox, `new-${person.email}`));
  await press(page, "Confirm my address", "Your e-mail address is confirmed");
  expect(await byMail()).toContain(`new-${person.email}`);
  expect(await page.getByLabel("By e-mail").isChecked()).toBe(true);
  await page.getByText(`You are signed in as new-${person.email}`).waitFor();
});
