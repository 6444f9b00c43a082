import { afterAll, expect, setDefaultTimeout } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { allScopes } from "../../shared/contracts/kernel/scopes.ts";
import { addDays } from "../../shared/domain/day/day.ts";
import { ageProofs } from "../support/identity/proofs.ts";
import { authorizationRequest, newestLink, registerApp } from "../support/identity/support.ts";
import { axeFaults } from "../support/pages/axe.ts";
import { callsOf } from "../support/pages/plain.ts";
import { browserTest, createToken, press, type Site, signUp, startSite } from "../support/pages/support.ts";
import { startMailbox } from "../support/servers/mailbox.ts";

const mailbox = await startMailbox();
afterAll(() => mailbox.stop());
const site = await startSite({ SMTP_URL: mailbox.url });
const { baseUrl, authUrl } = site.stack.config;
type View = Readonly<{
  colorScheme: "light" | "dark";
  viewport: { width: number; height: number };
  /** The rules of axe-core that this view could break; all by default. */
  rules?: readonly string[];
}>;

const views = {
  light: { colorScheme: "light", viewport: { width: 1000, height: 700 } },
  dark: { colorScheme: "dark", viewport: { width: 1000, height: 700 }, rules: ["color-contrast"] },
  phone: { colorScheme: "light", viewport: { width: 320, height: 800 }, rules: [] },
} as const satisfies Record<string, View>;

/** `npm run lab -- screenshots` takes the pictures of the documents again. */
const picturesFolder = join(import.meta.dir, "../../docs/screenshots");
const draws = Bun.env.SCREENSHOTS === "yes";
// A year of life, and each page in three views, take their time.
setDefaultTimeout(240_000);

/** A page whose console must stay without complaints of the browser about scripts, styles and addresses. */
async function openWatched(): Promise<Page> {
  const page = await site.open({ timezoneId: "Europe/Berlin" });
  page.on("console", (message) => expect(message.text()).not.toContain("Content Security Policy"));
  page.on("pageerror", (error) => expect(error.message).toBe("no error"));
  return page;
}

/** Faults found by axe-core, and elements that a page would scroll sideways for. */
async function check(page: Page, name: string): Promise<void> {
  for (const [view, { colorScheme, viewport, rules }] of Object.entries<View>(views)) {
    // Colours that are on their way would be judged half-way.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize(viewport);
    if (rules?.length !== 0) expect([name, view, await axeFaults(page, rules)]).toEqual([name, view, []]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(viewport.width);
    const cutOff =
      "[...document.querySelectorAll('.table')].filter((one) => one.scrollWidth > one.clientWidth).length";
    expect([name, view, await page.evaluate(cutOff)]).toEqual([name, view, 0]);
    const path = join(picturesFolder, `${name}-${view}.png`);
    const clip = { x: 0, y: 0, width: viewport.width, height: await pictureHeight(page) };
    if (!draws || !existsSync(path)) continue;
    await page.evaluate("scrollTo(0, 0)");
    await page.screenshot({ path, fullPage: true, clip });
  }
}

/** A picture of a list shows its beginning. */
async function pictureHeight(page: Page): Promise<number> {
  return Math.min(1_900, Number(await page.evaluate("document.documentElement.scrollHeight")));
}

browserTest("the account pages have no fault, light, dark and on a phone", async () => {
  const page = await openWatched();
  const look = async (path: string, name: string) => {
    await page.goto(`${baseUrl}${path}`);
    await check(page, name);
  };
  await look("", "front");
  await look("/nothing", "nothing-here");
  await page.goto(`${baseUrl}/docs`);
  await page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })");
  await page.setViewportSize(views.phone.viewport);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  // One template makes all cards, and axe-core takes 20 s for all of them.
  await page.evaluate(
    "document.querySelectorAll('.card:not(:nth-of-type(10n + 1))').forEach((card) => card.remove())",
  );
  await check(page, "docs");
  await signUp(site, page, "ada@example.org", mailbox);
  await check(page, "today-empty");
  const token = await createToken(site, page, "Claude Code", allScopes);
  await fillWithLife(site, token, draws ? 365 : 7);
  await look("/account", "today");
  const lastWeek = addDays(new Date().toISOString().slice(0, 10), -8);
  const habit = await page.locator("li[id^=habit-]").first().getAttribute("id");
  await page.goto(`${baseUrl}/account?tick=late_${habit}_yes_${lastWeek}`);
  await page.getByText("Not ticked off yet").waitFor();
  await check(page, "today-late");
  await page.goto(`${baseUrl}/account`);
  const plants = page.getByRole("link", { name: "Water the plants" });
  await page.goto(`${baseUrl}${await plants.getAttribute("href")}`);
  await page.getByRole("button", { name: "Delete this todo" }).waitFor();
  // A session that was not used for half a day is renewed first.
  await site.identity.sql(
    "update identity.artifacts set expires_at = expires_at - interval '13 hours' where kind = 'Session'",
  );
  await press(page, "Delete this todo", "Go on?");
  await check(page, "go-on");
  await page.goto(`${baseUrl}/account`);
  await page.getByRole("link", { name: "Read 20 pages" }).click();
  await page.getByRole("link", { name: "Today", exact: true }).last().click();
  await page.getByRole("textbox", { name: "Note" }).waitFor();
  await check(page, "habit");
  await look("/account/habits", "habits");
  await look("/account/todos", "todos");
  await look("/account/find?q=passport", "find");
  const line = "Pay rent every month on the 1st at 9 #House @desk 10min";
  await look(`/account/add?${new URLSearchParams({ line })}`, "add");
  await page.getByText("What the line above understands").click();
  await page.getByLabel("Repeats").fill("now and then");
  await press(page, "Save");
  await check(page, "add-error");
  await look("/account/habits/new", "habit-form");
  await look("/account/categories", "categories");
  await look("/account/actions", "actions-runs");
  await page.getByRole("link", { name: "One by one" }).first().click();
  await page.locator(".log summary").nth(3).click();
  await check(page, "actions");
  await failReminder(token);
  await page.goto(`${baseUrl}/account/settings`);
  await page.locator("#webhook > summary").click();
  await page.getByRole("textbox", { name: "Address" }).fill("https://example.com/kept");
  await press(page, "Save webhook", "Could not be sent");
  await page.getByText("Show the signing secret").click();
  await check(page, "settings");
  await page.getByRole("textbox", { name: "Address" }).fill("http://example.com/kept");
  await press(page, "Save webhook");
  await check(page, "settings-error");
  await look("/account/settings/day", "settings-day");
  await page.goto(`${baseUrl}/account/webhooks`);
  await page.getByLabel("Address").fill("https://example.com/hook");
  await press(page, "Make", "Secret");
  await check(page, "webhooks");
  await page.goto(`${baseUrl}/account/connect?client=cursor`);
  await page.getByRole("button", { name: "Copy the lines for Cursor" }).waitFor();
  await check(page, "connect");
  await page.goto(`${baseUrl}/account/data`);
  await press(page, "Make an address");
  await page.locator("code.address").waitFor();
  await check(page, "data");
  await page
    .getByLabel("Files, 5 MB together")
    .setInputFiles(join(import.meta.dir, "../api/doors/pages/import/readers/samples/todoist.csv"));
  await press(page, "Preview");
  await page.getByRole("button", { name: "Import all of this" }).waitFor();
  await check(page, "import-preview");
  await look("/account/journal", "journal");
  await look("/account/data/access", "access");
  await look("/account/nothing", "not-found");
});

/** A reminder that reached nobody. */
async function failReminder(token: string): Promise<void> {
  const { id } = await callsOf(site.stack, token).rest("POST", "/todos", { title: "Call Grace" });
  await site.identity.sql(`
    insert into reminder_deliveries (user_id, id, todo_id, channel, status, attempts, late, error, scheduled_at, next_attempt_at, created_at, finished_at)
    select user_id, gen_random_uuid(), id, 'webhook', 'failed', 6, false, 'The webhook answered 500.', now(), now(), now(), now()
    from todos where id = ${id}`);
}

browserTest("the pages about agents have no fault, light, dark and on a phone", async () => {
  const page = await openWatched();
  await signUp(site, page, "barbara@example.org", mailbox);
  const token = await createToken(site, page, "Cursor", allScopes);
  const { rest } = callsOf(site.stack, token);
  const { id } = await rest("POST", "/todos", { title: "Pay rent" });
  await rest("DELETE", `/todos/${id}`);
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
  await check(page, "take-back");
  await press(page, "Take it all back", "2 of 2 changes");
  await check(page, "take-back-done");
  await page.goto(`${baseUrl}/account/agents`);
  await page.locator("summary", { hasText: "Rules" }).click();
  await page.getByLabel("Ask me before it changes more things at once than").fill("0");
  await check(page, "agents");
  await press(page, "Save the rules of Cursor", "Its rules are saved.");
  await rest("POST", "/todos", { title: "Buy milk" });
  await page.goto(`${baseUrl}/account/approvals`);
  await page.getByRole("button", { name: "Approve" }).first().waitFor();
  await check(page, "approvals");
});

browserTest("the provider's pages have no fault, light, dark and on a phone", async () => {
  const page = await openWatched();
  await page.goto(`${authUrl}/sign-in`);
  await check(page, "sign-in");
  await page.goto(`${authUrl}/sign-up`);
  await check(page, "sign-up");
  await signUp(site, page, "grace@example.org", mailbox);
  await createToken(site, page, "Laptop script", ["habits:read", "todos:read"]);
  for (const summary of await page.locator(".created summary").all()) await summary.click();
  await check(page, "api-tokens-created");
  await page.reload();
  await page.getByText("Revoke Laptop script?").click();
  await check(page, "api-tokens");
  await page.getByRole("link", { name: "Change Laptop script" }).click();
  await page.getByLabel("The token ends after").selectOption("date");
  await check(page, "api-tokens-change");
  await page.goto(`${authUrl}/profile`);
  await check(page, "account");
  await press(page, "Add a passkey");
  await page.getByLabel("Name").fill("Test key");
  await check(page, "passkey");
  await page.goto(`${authUrl}/profile`);
  await page.getByText("Change my e-mail address").click();
  await page.getByLabel("New e-mail address").fill("hopper@example.org");
  await press(page, "Change address", "Your address changes when you use it");
  await page.goto(newestLink(mailbox, "hopper@example.org"));
  await check(page, "confirm-email");
  await ageProofs(site.identity);
  await page.goto(`${authUrl}/profile`);
  await page.getByText("Delete my account and everything in it").click();
  await press(page, "Delete my account", "Is it you?");
  await check(page, "proof");
  const client_id = await registerApp(site.identity.config, { client_name: "Claude Code" });
  const scope = "habits:read habits:write todos:read todos:write";
  await page.goto(`${authUrl}${authorizationRequest(site.identity.config, { client_id, scope }).address}`);
  await check(page, "consent");
  await page.goto(`${authUrl}/authorize?client_id=nobody`);
  await check(page, "error");
  await page.goto(`${authUrl}/session/end`);
  await page.getByRole("heading", { name: "Sign out?" }).waitFor();
  await check(page, "sign-out");

  const stranger = await openWatched();
  await stranger.goto(`${authUrl}/sign-in`);
  await stranger.getByRole("link", { name: "Forgot your password?" }).click();
  await check(stranger, "forgot-password");
  await stranger.getByLabel("E-mail address").fill("grace@example.org");
  await press(stranger, "Send the link");
  await stranger.getByRole("heading", { name: "Look into your mail" }).waitFor();
  await stranger.goto(newestLink(mailbox, "grace@example.org"));
  await check(stranger, "new-password");
});

const msPerDay = 86_400_000;

/** Some days in the life of a person with a token of all scopes: habits, todos and an agent's calls. */
async function fillWithLife(site: Site, token: string, days: number): Promise<void> {
  const { rest } = callsOf(site.stack, token);
  const post = (path: string, body: object = {}) => rest("POST", path, body);
  const health = await post("/categories", { name: "Health", color: "#d9480f" });
  const home = await post("/categories", { name: "Home", color: "#1971c2" });
  const thrice = { frequency: "custom", schedule: { times_per_week: 3 }, time_of_day: "morning" };
  const run = await post("/habits", { name: "Morning run", type: "good", ...thrice, category_id: health.id });
  const evening = { frequency: "daily", time_of_day: "evening" };
  const read = await post("/habits", { name: "Read 20 pages", type: "good", ...evening });
  const scroll = await post("/habits", { name: "Scrolling in bed", type: "bad", ...evening });
  await post("/habits", { name: "Call the parents", type: "good", frequency: "weekly" });

  const now = Date.now();
  for (let ago = days - 1; ago >= 0; ago--) {
    site.stack.clock.now = now - ago * msPerDay;
    const isDone = {
      [run.id]: [0, 2, 4].includes(ago % 7),
      [read.id]: ago % 37 !== 9,
      [scroll.id]: ago % 5 > 1,
    };
    const done = [run, read, scroll].filter(
      ({ id }) => isDone[id] && (ago > 0 || id === run.id) && !isAway(ago),
    );
    await Promise.all(done.map(({ id }) => post(`/habits/${id}/complete`)));
  }
  site.stack.clock.now = undefined;
  const today = new Date(now).toISOString().slice(0, 10);
  await post("/todos", { title: "Renew the passport", due_date: addDays(today, -2) });
  const plants = { title: "Water the plants", time_of_day: "morning", estimated_minutes: 10 };
  await post("/todos", { ...plants, due_date: today, category_id: home.id });
  await post("/todos", {
    title: "Prepare the slides for Monday's review",
    due_date: addDays(today, 3),
    estimated_minutes: 90,
    context: "work",
  });
  await post("/todos", { title: "Find a piano teacher" });
  await letAgentWork(site, token, { habitId: read.id, dueDate: addDays(today, 1) });
}

/** Two weeks of holiday, in which no habit was kept. */
const isAway = (ago: number): boolean => ago >= 120 && ago < 134;

async function letAgentWork(
  site: Site,
  token: string,
  { habitId, dueDate }: { habitId: number; dueDate: string },
) {
  const { call } = callsOf(site.stack, token);
  await call("get-today-habits");
  await call("get-pending-todos", { overdue_only: true });
  const due = { due_date: dueDate, recurrence: "FREQ=WEEKLY;BYDAY=SA" };
  const { result } = await call("create-todo", { title: "Buy a birthday present", ...due });
  const { structuredContent } = result as { structuredContent: { todo: { id: number } } };
  const { id } = structuredContent.todo;
  await call("update-todo", { todo_id: id, due_date: addDays(dueDate, 7) });
  await call("delete-todo", { todo_id: 4_711 });
  await call("complete-habit", { habit_id: habitId });
  await call("complete-habit", { habit_id: habitId });
}
