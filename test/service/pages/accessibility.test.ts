import { afterAll, expect, setDefaultTimeout } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { allScopes } from "../../../shared/contracts/kernel/scopes.ts";
import { authorizationRequest, newestLink, registerApp } from "../../support/identity/support.ts";
import { axeFaults } from "../../support/pages/axe.ts";
import { fillWithLife } from "../../support/pages/sample.ts";
import { browserTest, createToken, signUp, startSite } from "../../support/pages/support.ts";
import { startMailbox } from "../../support/servers/mailbox.ts";

const mailbox = await startMailbox();
const site = await startSite({ SMTP_URL: mailbox.url, RATE_LIMIT_PER_MINUTE: "0" });
const { baseUrl, authUrl } = site.stack.config;
type View = Readonly<{
  colorScheme: "light" | "dark";
  viewport: { width: number; height: number };
  rules?: readonly string[];
}>;

const views = {
  light: { colorScheme: "light", viewport: { width: 1000, height: 700 } },
  dark: { colorScheme: "dark", viewport: { width: 1000, height: 700 }, rules: ["color-contrast"] },
  phone: { colorScheme: "light", viewport: { width: 320, height: 800 } },
} as const satisfies Record<string, View>;

/** `npm run lab -- screenshots` takes the pictures of the documents again. */
const picturesFolder = join(import.meta.dir, "../../../docs/screenshots");
const draws = Bun.env.SCREENSHOTS === "yes";
// A year of life takes longer to make than the few days that these checks need.
setDefaultTimeout(draws ? 240_000 : 120_000);
const checked: string[] = [];
afterAll(async () => {
  console.log(`axe-core looked at ${checked.length} pages.`);
  await mailbox.stop();
});

/** Faults found by axe-core, and elements that a phone would scroll sideways for. */
async function check(page: Page, name: string): Promise<void> {
  for (const [view, { colorScheme, viewport, rules }] of Object.entries<View>(views)) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    expect([name, view, await axeFaults(page, rules)]).toEqual([name, view, []]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(viewport.width);
    checked.push(`${name} ${view}`);
    const path = join(picturesFolder, `${name}-${view}.png`);
    if (draws && existsSync(path))
      await page.screenshot({
        path,
        fullPage: true,
        clip: { x: 0, y: 0, width: viewport.width, height: await pictureHeight(page) },
      });
  }
}

/** A picture of a list shows its beginning. */
async function pictureHeight(page: Page): Promise<number> {
  return Math.min(1_900, Number(await page.evaluate("document.documentElement.scrollHeight")));
}

browserTest("the account pages have no fault, light, dark and on a phone", async () => {
  const page = await site.open();
  await page.goto(baseUrl);
  await check(page, "front");
  await page.goto(`${baseUrl}/nothing`);
  await check(page, "nothing-here");
  await page.goto(`${baseUrl}/docs`);
  await page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })");
  await check(page, "docs");
  await signUp(site, page, "ada@example.org", mailbox);
  await check(page, "today-empty");
  await fillWithLife(site, await createToken(site, page, "Claude Code", allScopes), draws ? 365 : 14);
  await page.goto(`${baseUrl}/account`);
  await check(page, "today");
  const habit = await page.locator("li[id^=habit-]").first().getAttribute("id");
  await page.goto(`${baseUrl}/account?tick=late_${habit}_yes_2026-11-20`);
  await page.getByText("Not ticked off yet").waitFor();
  await check(page, "today-late");
  await page.goto(`${baseUrl}/account`);
  await page.getByRole("link", { name: "Water the plants" }).click();
  await page.getByRole("button", { name: "Delete this todo" }).waitFor();
  await page.context().clearCookies({ name: "kept_account" });
  await page.getByRole("button", { name: "Delete this todo" }).click();
  await page.getByRole("heading", { name: "Go on?" }).waitFor();
  await check(page, "go-on");
  await page.goto(`${baseUrl}/account`);
  await page.getByRole("link", { name: "Read 20 pages" }).click();
  await check(page, "habit");
  await page.goto(`${baseUrl}/account/habits`);
  await check(page, "habits");
  await page.goto(`${baseUrl}/account/todos`);
  await check(page, "todos");
  const line = "Pay rent every month on the 1st at 9 #House @desk 10min";
  await page.goto(`${baseUrl}/account/add?${new URLSearchParams({ line })}`);
  await check(page, "add");
  await page.getByText("What the line above understands").click();
  await page.getByLabel("Repeats").fill("now and then");
  await page.getByRole("button", { name: "Save" }).click();
  await check(page, "add-error");
  await page.goto(`${baseUrl}/account/habits/new`);
  await check(page, "habit-form");
  await page.goto(`${baseUrl}/account/categories`);
  await check(page, "categories");
  await page.goto(`${baseUrl}/account/actions`);
  await check(page, "actions-runs");
  await page.getByRole("link", { name: "One by one" }).first().click();
  await page.locator(".log summary").nth(3).click();
  await check(page, "actions");
  await page.goto(`${baseUrl}/account/settings`);
  await page.getByRole("textbox", { name: "Address" }).fill("https://example.com/kept");
  await page.getByRole("button", { name: "Save webhook" }).click();
  await page.getByText("Show the signing secret").click();
  await check(page, "settings");
  await page.getByRole("textbox", { name: "Address" }).fill("http://example.com/kept");
  await page.getByRole("button", { name: "Save webhook" }).click();
  await check(page, "settings-error");
  await page.goto(`${baseUrl}/account/connect`);
  await page.getByRole("button", { name: "Copy the lines for Cursor" }).waitFor();
  await check(page, "connect");
  await page.goto(`${baseUrl}/account/data`);
  await page.getByRole("button", { name: "Make an address" }).click();
  await page.locator("code.address").waitFor();
  await check(page, "data");
  await page
    .getByLabel("Files, 5 MB together")
    .setInputFiles(join(import.meta.dir, "../../api/doors/pages/import/readers/samples/todoist.csv"));
  await page.getByRole("button", { name: "Show what would come" }).click();
  await page.getByRole("button", { name: "Import all of this" }).waitFor();
  await check(page, "import-preview");
  await page.goto(`${baseUrl}/account/nothing`);
  await check(page, "not-found");
});

browserTest("the pages that take back have no fault, light, dark and on a phone", async () => {
  const page = await site.open();
  await signUp(site, page, "barbara@example.org", mailbox);
  const token = await createToken(site, page, "Cursor", allScopes);
  const { body } = await site.stack.rest("POST", "/todos", { token, body: { title: "Pay rent" } });
  await site.stack.rest("DELETE", `/todos/${body.id}`, { token });
  await page.goto(`${baseUrl}/account/actions`);
  await page.getByRole("link", { name: "Forget for good" }).click();
  await check(page, "forget");
  await page.goto(`${baseUrl}/account/actions`);
  const created = page.locator("li.card", { hasText: "Created the todo Pay rent" });
  await created.getByRole("button", { name: "Take back" }).click();
  await page.getByText("This could not be taken back.").waitFor();
  await check(page, "actions-noted");
  const { jti } = await site.identity.introspect(token);
  await page.goto(`${baseUrl}/account/actions/run?token_id=${jti}`);
  await page.getByText("Since another time").click();
  await check(page, "take-back");
  await page.getByRole("button", { name: "Take it all back" }).click();
  await page.getByText("2 of 2 changes").waitFor();
  await check(page, "take-back-done");
});

browserTest("the provider's pages have no fault, light, dark and on a phone", async () => {
  const page = await site.open();
  await page.goto(`${authUrl}/sign-in`);
  await check(page, "sign-in");
  await page.goto(`${authUrl}/sign-up`);
  await check(page, "sign-up");
  await signUp(site, page, "grace@example.org", mailbox);
  await createToken(site, page, "Laptop script", ["habits:read", "todos:read"]);
  await page.locator(".created summary").first().click();
  await check(page, "api-tokens-created");
  await page.reload();
  await page.getByText("Revoke Laptop script?").click();
  await check(page, "api-tokens");
  await page.getByRole("link", { name: "Change Laptop script" }).click();
  await page.getByLabel("The token ends after").selectOption("date");
  await check(page, "api-tokens-change");
  await page.goto(`${authUrl}/profile`);
  await check(page, "account");
  await page.getByText("Change my e-mail address").click();
  await page.getByLabel("New e-mail address").fill("hopper@example.org");
  await page.getByRole("button", { name: "Change address" }).click();
  await page.getByText("Your address changes when you use it").waitFor();
  await page.goto(newestLink(mailbox, "hopper@example.org"));
  await check(page, "confirm-email");
  const client_id = await registerApp(site.identity.config, { client_name: "Claude Code" });
  const scope = "habits:read habits:write todos:read todos:write";
  await page.goto(`${authUrl}${authorizationRequest(site.identity.config, { client_id, scope }).address}`);
  await check(page, "consent");
  await page.goto(`${authUrl}/authorize?client_id=nobody`);
  await check(page, "error");
  await page.goto(`${authUrl}/session/end`);
  await page.getByRole("heading", { name: "Sign out?" }).waitFor();
  await check(page, "sign-out");
});
