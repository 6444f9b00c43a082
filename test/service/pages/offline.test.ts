import { expect } from "bun:test";
import { SQL } from "bun";
import type { Page } from "playwright-core";
import { browserTest, signedInPerson, useSite } from "../../support/pages/support.ts";
import { eventually } from "../../support/reminder/stack.ts";

const site = await useSite();
const { stack } = site;
const { baseUrl, databaseUrl } = stack.config;
const today = new Date().toLocaleDateString("sv-SE", { timeZone: "Europe/Berlin" });

/** A person on Today, which their browser has kept. */
async function personWith(count: number) {
  const { page, newToken } = await signedInPerson(site);
  const token = await newToken("Script");
  const rest = async (method: string, path: string, body?: object) =>
    (await stack.rest(method, path, { token, ...(body && { body }) })).body;
  const titles = Array.from({ length: count }, (_, n) => `Todo ${n + 1}`);
  await Promise.all(titles.map((title) => rest("POST", "/todos", { title, due_date: today })));
  await page.goto(`${baseUrl}/account`);
  await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
  await page.goto(`${baseUrl}/account`);
  await eventually(async () => ((await kept(page)) as string[]).length > 2);
  return { page, rest };
}

const kept = (page: Page) =>
  page.evaluate(`caches.open("today").then((cache) => cache.keys())
    .then((all) => all.map(({ url }) => url))`);
const stored = (page: Page) =>
  page.evaluate("indexedDB.databases().then((all) => all.map(({ name }) => name))");

const add = async (page: Page, line: string) => {
  await page.getByLabel("Add a todo or a habit in words").fill(line);
  await page.getByLabel("Add a todo or a habit in words").press("Enter");
};

browserTest("a browser can install the account pages as an app", async () => {
  const { page } = await personWith(1);
  const session = await page.context().newCDPSession(page);
  const href = await page.locator("link[rel=manifest]").getAttribute("href");
  const { url, errors, manifest } = await session.send("Page.getAppManifest");
  expect([url, errors]).toEqual([`${baseUrl}${href}`, []]);
  const address = `${baseUrl}/account`;
  const app = { id: address, startUrl: address, scope: address, name: "Kept", display: "kStandalone" };
  expect(manifest).toMatchObject(app);
  const { icons } = (await (await fetch(url)).json()) as { icons: object[] };
  const sizes =
    await page.evaluate(`Promise.all(${JSON.stringify(icons)}.map(({ src }) => new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve(image.naturalWidth);
    image.src = src;
  })))`);
  expect(sizes).toEqual([expect.any(Number), 512]);
  expect(await page.evaluate("navigator.serviceWorker.controller.scriptURL")).toBe(`${baseUrl}/worker.js`);
});

browserTest(
  "offline Today stays visible, and ten changes are sent once each after a reconnect, over a killed tab",
  async () => {
    const { page, rest } = await personWith(9);
    const habit = await rest("POST", "/habits", { name: "Read", type: "good", frequency: "daily" });
    await page.getByRole("button", { name: "Done today: Read" }).waitFor();
    await eventually(async () =>
      String(await page.evaluate(`caches.match("/account").then((one) => one.text())`)).includes("Read"),
    );
    const context = page.context();
    const [gone] = (await rest("GET", "/todos?q=Todo 3")).data;
    await context.setOffline(true);
    await rest("DELETE", `/todos/${gone.id}`);
    for (let n = 1; n <= 7; n++) await page.getByRole("button", { name: `Done: Todo ${n}` }).click();
    await page.getByRole("button", { name: "Done today: Read" }).click();
    await add(page, "Buy milk");
    await page.getByText("9 changes wait here and will be sent when you are online: Buy milk.").waitFor();
    await page.close();

    const next = await context.newPage();
    next.setDefaultTimeout(10_000);
    await next.goto(`${baseUrl}/account/todos`);
    expect(new URL(next.url()).pathname).toBe("/account");
    await next.getByText("9 changes wait here").waitFor();
    expect(await next.locator("li.done").count()).toBe(8);
    await add(next, "Call Mum");
    await next.getByText("Buy milk · Call Mum.").waitFor();
    await context.setOffline(false);
    await next.getByText("Todo 3: It is not there any more.").waitFor();
    await eventually(async () => (await rest("GET", "/todos?status=completed")).meta.total === 6);
    for (const line of ["Buy milk", "Call Mum"])
      await next.locator("li", { hasText: line }).waitFor({ state: "attached" });
    expect((await rest("GET", `/habits/${habit.id}`)).is_completed_today).toBe(true);
    await next.reload();
    expect(await next.locator("li.done").count()).toBe(1);
    await using sql = new SQL(databaseUrl, { max: 1 });
    const changes = await sql`select tool, count(*)::int as count from action_log
      where door = 'page' and outcome = 'ok' group by tool order by tool`;
    expect([...changes]).toMatchObject([
      { tool: "habit.complete", count: 1 },
      { tool: "todo.create", count: 2 },
      { tool: "todo.toggle", count: 6 },
    ]);
  },
  30_000,
);

browserTest("a tick that waited over the end of the day and of the session is for its own day", async () => {
  const { page, rest } = await personWith(1);
  const { id } = await rest("POST", "/habits", { name: "Read", type: "good", frequency: "daily" });
  await page.getByRole("button", { name: "Done today: Read" }).waitFor();
  const context = page.context();
  await context.setOffline(true);
  await page.getByRole("button", { name: "Done today: Read" }).click();
  await page.getByText("A change waits here").waitFor();
  stack.clock.now = Date.now() + 24 * 3_600_000;
  await context.clearCookies({ name: "kept_account" });
  await context.setOffline(false);
  await eventually(async () => {
    const { data } = await rest("GET", `/habits/${id}/completions`);
    return data.map(({ date }: { date: string }) => date).join() === today;
  });
  stack.clock.now = undefined;
});

browserTest("nothing of a person stays in the browser after a sign-out", async () => {
  const { page } = await personWith(1);
  const watcher = await page.context().newPage();
  await page.getByRole("button", { name: "Done: Todo 1" }).click();
  await page.getByText("Done: Todo 1").waitFor();
  await watcher.goto(`${baseUrl}/`);
  expect([await kept(watcher), await stored(watcher)]).toEqual([
    expect.arrayContaining([`${baseUrl}/account`]),
    ["kept"],
  ]);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(({ pathname }) => !pathname.startsWith("/account/sign-out"));
  await eventually(async () => ((await kept(watcher)) as string[]).length === 0);
  expect(await stored(watcher)).toEqual([]);
});

browserTest("a sign-out at the provider removes the kept Today as well", async () => {
  const { page } = await personWith(1);
  await page.goto(`${stack.config.authUrl}/profile`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.goto(`${baseUrl}/`);
  await eventually(async () => ((await kept(page)) as string[]).length === 0);
});
