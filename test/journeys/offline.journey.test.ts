import { afterEach, expect } from "bun:test";
import type { Page } from "playwright-core";
import { addInWords, browserTest, press, signedInPerson, useSite } from "../support/pages/support.ts";
import { eventually } from "../support/reminder/stack.ts";

const site = await useSite();
const { stack, identity } = site;
const { baseUrl, authUrl } = stack.config;
const today = new Date().toLocaleDateString("sv-SE", { timeZone: "Europe/Berlin" });
afterEach(() => {
  stack.clock.now = undefined;
});

/** A person with todos on Today. */
async function personWith(count: number) {
  const { page, rest, email } = await signedInPerson(site);
  const titles = Array.from({ length: count }, (_, n) => `Todo ${n + 1}`);
  const todos = await Promise.all(titles.map((title) => rest("POST", "/todos", { title, due_date: today })));
  await page.goto(`${baseUrl}/account`);
  await page.evaluate("window.isTheSame = true");
  /** The number of changes by each command that pages sent for this person. */
  const changes = async () =>
    Object.fromEntries(
      (
        await identity.sql(`select tool, count(*)::int as count from action_log
          where door = 'page' and outcome = 'ok'
            and user_id = (select id from identity.accounts where email = '${email}') group by tool`)
      ).map(({ tool, count }) => [tool, count]),
    );
  return { page, rest, todos, changes, context: page.context() };
}

const kept = async (page: Page) =>
  (await page.evaluate(`caches.open("today").then((cache) => cache.keys())
    .then((all) => all.map(({ url }) => url))`)) as string[];
const stored = (page: Page) =>
  page.evaluate("indexedDB.databases().then((all) => all.map(({ name }) => name))");
const isTheSame = (page: Page) => page.evaluate("window.isTheSame");

/** Comes to Today once more, when the worker is there, so that the browser keeps it. */
async function keep(page: Page): Promise<void> {
  await page.evaluate("navigator.serviceWorker.ready.then(() => {})");
  await page.goto(`${baseUrl}/account`);
  await eventually(async () => (await kept(page)).length > 2);
}

browserTest("a browser can install the account pages as an app", async () => {
  const { page, context } = await personWith(0);
  await keep(page);
  const session = await context.newCDPSession(page);
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

browserTest("ten changes made offline on Today are sent once each, also over a killed tab", async () => {
  const { page, rest, changes, context } = await personWith(9);
  await keep(page);
  const habit = await rest("POST", "/habits", { name: "Read", type: "good", frequency: "daily" });
  await page.getByRole("button", { name: "Done today: Read" }).waitFor();
  await eventually(async () =>
    String(await page.evaluate(`caches.match("/account").then((one) => one.text())`)).includes("Read"),
  );
  const [gone] = (await rest("GET", "/todos?q=Todo 3")).data;
  await context.setOffline(true);
  await rest("DELETE", `/todos/${gone.id}`);
  for (let n = 1; n <= 7; n++) await press(page, `Done: Todo ${n}`);
  await press(page, "Done today: Read");
  await addInWords(page, "Buy milk", "9 changes wait here and will be sent when you are online: Buy milk.");
  await page.close();

  const next = await context.newPage();
  await next.goto(`${baseUrl}/account/todos`);
  expect(new URL(next.url()).pathname).toBe("/account");
  await next.getByText("9 changes wait here").waitFor();
  expect(await next.locator("li.done").count()).toBe(8);
  await addInWords(next, "Call Mum", "Buy milk · Call Mum.");
  await context.setOffline(false);
  await next.getByText("Todo 3: It is not there any more.").waitFor();
  await eventually(async () => (await rest("GET", "/todos?status=completed")).meta.total === 6);
  for (const line of ["Buy milk", "Call Mum"])
    await next.locator("li", { hasText: line }).waitFor({ state: "attached" });
  expect((await rest("GET", `/habits/${habit.id}`)).is_completed_today).toBe(true);
  await next.reload();
  expect(await next.locator("li.done").count()).toBe(1);
  expect(await changes()).toEqual({ "habit.complete": 1, "todo.create": 2, "todo.toggle": 6 });
});

browserTest("a tick that waited over the end of the day and of the session is for its own day", async () => {
  const { page, rest, context } = await personWith(0);
  await keep(page);
  const { id } = await rest("POST", "/habits", { name: "Read", type: "good", frequency: "daily" });
  await page.getByRole("button", { name: "Done today: Read" }).waitFor();
  await context.setOffline(true);
  await press(page, "Done today: Read", "A change waits here");
  stack.clock.now = Date.now() + 24 * 3_600_000;
  await context.clearCookies({ name: "kept_account" });
  await context.setOffline(false);
  await eventually(async () => {
    const { data } = await rest("GET", `/habits/${id}/completions`);
    return data.map(({ date }: { date: string }) => date).join() === today;
  });
});

browserTest("nothing of a person stays in the browser after a sign-out here or at the provider", async () => {
  const { page, context } = await personWith(1);
  await keep(page);
  const watcher = await context.newPage();
  await press(page, "Done: Todo 1", "Done: Todo 1");
  await watcher.goto(`${baseUrl}/`);
  expect([await kept(watcher), await stored(watcher)]).toEqual([
    expect.arrayContaining([`${baseUrl}/account`]),
    ["kept"],
  ]);
  await press(page, "Sign out");
  await page.waitForURL(({ pathname }) => !pathname.startsWith("/account/sign-out"));
  await eventually(async () => (await kept(watcher)).length === 0);
  expect(await stored(watcher)).toEqual([]);

  const other = await personWith(0);
  await keep(other.page);
  await other.page.goto(`${authUrl}/profile`);
  await press(other.page, "Sign out");
  await other.page.getByRole("heading", { name: "Sign in" }).waitFor();
  await other.page.goto(`${baseUrl}/`);
  await eventually(async () => (await kept(other.page)).length === 0);
});

/** Every form takes a while. Of ten, one does not arrive, and the answer of another is lost. */
async function spoilLine(page: Page): Promise<void> {
  let sent = 0;
  await page.route(/account\/(tick|add)$/, async (route) => {
    const place = sent++ % 10;
    await Bun.sleep(100);
    if (place === 3) return route.abort("connectionreset");
    if (place !== 7) return route.continue();
    await route.fetch({ maxRedirects: 0 });
    return route.abort("connectionreset");
  });
}

browserTest("over a bad line forty ticks show at once, and each happens once, on the same page", async () => {
  const { page, rest, changes } = await personWith(40);
  await spoilLine(page);
  const unseen =
    await page.evaluate(`[...document.querySelectorAll("section button.tick")].filter((button) => {
    button.click();
    return !button.closest("li.done");
  }).length`);
  expect(unseen).toBe(0);
  const lines = [1, 2, 3, 4, 5].map((n) => `Extra ${n}`);
  for (const line of lines) await addInWords(page, line);
  const total = async (status: string) => (await rest("GET", `/todos?status=${status}`)).meta.total;
  await eventually(async () => (await total("completed")) === 40 && (await total("all")) === 45, 40_000);
  const { data } = await rest("GET", "/todos");
  expect(data.map(({ title }: { title: string }) => title).sort()).toEqual(lines);
  expect(await changes()).toEqual({ "todo.create": 5, "todo.toggle": 40 });
  expect(await isTheSame(page)).toBe(true);
});

browserTest("what is refused is taken back on the page with the reason, and undos one by one", async () => {
  const { page, rest, todos, context } = await personWith(4);
  await page.route(/account\/live/, (route) => route.abort());
  await page.reload();
  await rest("DELETE", `/todos/${todos[3].id}`);
  await press(page, "Done: Todo 4", "It is not there any more.");
  expect(await page.locator("li.done").count()).toBe(0);

  // Without a kept page too, a tick waits for the connection.
  await page.evaluate("window.isTheSame = true");
  await context.setOffline(true);
  await press(page, "Done: Todo 1", "A change waits here and will be sent when you are online.");
  expect(await page.locator(`#todo-${todos[0].id}`).getAttribute("class")).toContain("done");
  await context.setOffline(false);
  for (const n of [1, 2, 3]) {
    if (n > 1) await press(page, `Done: Todo ${n}`);
    await page.getByRole("status").getByText(`Done: Todo ${n}`).waitFor();
  }
  for (const left of [2, 1, 0]) {
    await press(page, "Undo");
    await eventually(async () => (await rest("GET", "/todos?status=completed")).meta.total === left);
    const said = left > 0 ? `Taken back. Before it: Done: Todo ${left}` : "Taken back.";
    await page.getByText(said, { exact: true }).waitFor();
  }
  expect(await page.getByRole("button", { name: /^Done: Todo/ }).count()).toBe(3);
  expect(await isTheSame(page)).toBe(true);
});

type Registration = Readonly<{ registrationId: string; scopeURL: string }>;

/** The worker of a page, and a push service that delivers to it. */
async function pushingTo(page: Page) {
  const session = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const found = (registrations as Registration[]).find(({ scopeURL }) => scopeURL.startsWith(baseUrl));
      if (found) resolve(found.registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  const registrationId = await registered;
  const [worker] = page.context().serviceWorkers();
  const push = (data: object) =>
    session.send("ServiceWorker.deliverPushMessage", {
      origin: baseUrl,
      registrationId,
      data: JSON.stringify(data),
    });
  return { worker, push };
}

// A browser without a window shows no notifications and opens no pages, so the worker notes what it would do.
const noteInstead = `self.noted = [];
  registration.showNotification = async (...shown) => void noted.push(shown);
  clients.openWindow = async (url) => void noted.push(url);`;
const clickOn = (action: string) => `{
  const event = new Event("notificationclick");
  const [, { data }] = noted[0];
  dispatchEvent(Object.assign(event, { action: "${action}", notification: { data, close() {} }, waitUntil() {} }));
}`;

browserTest("the worker shows a pushed reminder, and its buttons open their pages", async () => {
  const { page } = await personWith(0);
  await keep(page);
  await page.goto(`${baseUrl}/account/settings`);
  await page.getByRole("button", { name: "Show reminders in this browser" }).waitFor();
  const { worker, push } = await pushingTo(page);
  await worker?.evaluate(noteInstead);
  const [link, url] = [`${baseUrl}/account/todos/1`, `${baseUrl}/remind/a`];
  const actions = [{ action: "done", title: "Done", url }];
  await push({ title: "Call Grace", body: "About the boat", link, tag: "a-delivery", actions });
  await eventually(async () => (await worker?.evaluate("noted.length")) === 1);
  for (const action of ["done", ""]) await worker?.evaluate(clickOn(action));
  const options = { body: "About the boat", tag: "a-delivery", actions: [{ action: "done", title: "Done" }] };
  expect(await worker?.evaluate<unknown>("noted")).toEqual([
    ["Call Grace", { ...options, data: { link, urls: { done: url } } }],
    url,
    link,
  ]);
});
