import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { axeFaults } from "../../../support/pages/axe.ts";
import { browserTest, signedInPerson, useSite } from "../../../support/pages/support.ts";
import { eventually } from "../../../support/reminder/stack.ts";

const site = await useSite();
const { baseUrl } = site.stack.config;

type Registration = Readonly<{ registrationId: string; scopeURL: string }>;

/** Registers the worker of the page, as the button does before it asks the push service. */
async function startWorker(page: Page) {
  const session = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const found = (registrations as Registration[]).find(({ scopeURL }) => scopeURL.startsWith(baseUrl));
      if (found) resolve(found.registrationId);
    });
  });
  await session.send("ServiceWorker.enable");
  const [worker] = await Promise.all([
    page.context().waitForEvent("serviceworker"),
    page.evaluate(`navigator.serviceWorker
      .register("/worker.js", { scope: "/account" })
      .then(() => navigator.serviceWorker.ready.then(() => {}))`),
  ]);
  const registrationId = await registered;
  return {
    worker,
    push: (data: object) =>
      session.send("ServiceWorker.deliverPushMessage", {
        origin: baseUrl,
        registrationId,
        data: JSON.stringify(data),
      }),
  };
}

// A browser without a window shows no notifications and opens no pages, so the worker notes what it would do.
const noteInstead = `self.noted = [];
  registration.showNotification = async (...shown) => void noted.push(shown);
  clients.openWindow = async (url) => void noted.push(url);`;
const press = (action: string) => `{
  const event = new Event("notificationclick");
  const [, { data }] = noted[0];
  dispatchEvent(Object.assign(event, { action: "${action}", notification: { data, close() {} }, waitUntil() {} }));
}`;

browserTest("the worker shows a pushed reminder, and its buttons open their pages", async () => {
  const { page } = await signedInPerson(site);
  await page.goto(`${baseUrl}/account/settings`);
  await page.getByRole("button", { name: "Show reminders in this browser" }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  const { worker, push } = await startWorker(page);
  await worker.evaluate(noteInstead);
  const [link, url] = [`${baseUrl}/account/todos/1`, `${baseUrl}/remind/a`];
  const actions = [{ action: "done", title: "Done", url }];
  await push({ title: "Call Grace", body: "About the boat", link, tag: "a-delivery", actions });
  await eventually(async () => (await worker.evaluate("noted.length")) === 1);
  for (const action of ["done", ""]) await worker.evaluate(press(action));
  const options = { body: "About the boat", tag: "a-delivery", actions: [{ action: "done", title: "Done" }] };
  expect(await worker.evaluate<unknown>("noted")).toEqual([
    ["Call Grace", { ...options, data: { link, urls: { done: url } } }],
    url,
    link,
  ]);
});

browserTest(
  "a person saves a topic and a bot, whose token no page shows again, and chooses one",
  async () => {
    const { page } = await signedInPerson(site, { viewport: { width: 320, height: 700 } });
    await page.goto(`${baseUrl}/account/settings`);
    await page.getByRole("textbox", { name: "Topic" }).fill("https://ntfy.sh/");
    await page.getByRole("button", { name: "Save ntfy" }).click();
    await page.getByText("This must be a public https address of a topic").waitFor();
    await page.getByRole("textbox", { name: "Topic" }).fill("https://ntfy.sh/adas-topic");
    await page.getByRole("button", { name: "Save ntfy" }).click();
    await page.getByText("ntfy: saved").waitFor();
    await page.getByRole("textbox", { name: "Chat id" }).fill("12345");
    await page.getByRole("textbox", { name: "Bot token" }).fill("123456:a-token-of-a-bot-that-nobody-has");
    await page.getByRole("button", { name: "Save Telegram" }).click();
    await page.getByText("Telegram: saved").waitFor();
    expect(await page.content()).not.toContain("a-token-of-a-bot");
    expect(await page.getByRole("textbox", { name: "Bot token" }).inputValue()).toBe("");
    await page.getByRole("textbox", { name: "Chat id" }).fill("54321");
    await page.getByRole("button", { name: "Save Telegram" }).click();
    await page.getByLabel("By Telegram").check();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Reminders go where you chose.").waitFor();
    expect(await page.getByRole("textbox", { name: "Chat id" }).inputValue()).toBe("54321");
    await page.getByRole("textbox", { name: "Chat id" }).fill("");
    await page.getByRole("button", { name: "Save Telegram" }).click();
    await page.getByText("Reminders go to it: choose another way").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  },
);
