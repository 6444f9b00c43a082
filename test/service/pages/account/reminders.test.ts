import { afterAll, expect } from "bun:test";
import type { Page } from "playwright-core";
import { axeFaults } from "../../../support/pages/axe.ts";
import { browserTest, signedInPerson, signUp, useSite } from "../../../support/pages/support.ts";
import { eventually } from "../../../support/reminder/stack.ts";

const site = await useSite();
const { baseUrl } = site.stack.config;
const settingsPage = `${baseUrl}/account/settings`;
let status = 500;
const received: string[] = [];
const receiver = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    if (status === 204) received.push(await request.text());
    return new Response(null, { status });
  },
});
afterAll(() => receiver.stop(true));

/** The receiver refuses for longer than six attempts last. */
async function letFail(todoId: number) {
  const stateOf = () => site.identity.sql(`select status from reminder_deliveries where todo_id = ${todoId}`);
  await eventually(async () => (await stateOf())[0]?.status === "retrying");
  await site.identity.sql(`update reminder_deliveries set status = 'failed', finished_at = now() where todo_id = ${todoId};
    update reminders set status = 'failed' where todo_id = ${todoId}`);
}

async function expectAccessible(page: Page) {
  expect(await axeFaults(page)).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
}

browserTest("messages write dates as the browser of the last sign-in does", async () => {
  for (const [locale, stored] of [
    ["en-US", "en-US-u-fw-sun-hc-h12"],
    ["de-DE", "en-GB-u-fw-mon-hc-h23"],
  ] as const) {
    const email = `${crypto.randomUUID()}@example.org`;
    await signUp(site, await site.open({ locale }), email);
    const users = await site.identity.sql(`select u.locale from users u
      join identity.accounts a on a.id = u.user_id where a.email = '${email}'`);
    expect(users).toEqual([{ locale: stored }]);
  }
});

browserTest("a person sees what comes and what failed, and sends that again, once", async () => {
  const { page, newToken } = await signedInPerson(site, { viewport: { width: 320, height: 700 } });
  const token = await newToken("Script");
  const create = async (title: string, remind_at: string): Promise<number> => {
    const { body } = await site.stack.rest("POST", "/todos", { token, body: { title } });
    await site.stack.rest("PUT", `/todos/${body.id}/reminder`, { token, body: { remind_at } });
    return body.id;
  };
  await create("Renew passport", "2040-01-01T09:00:00");
  await page.goto(`${baseUrl}/account`);
  await page.getByText("they reach nobody").waitFor();
  await page.getByRole("link", { name: "Choose where they go" }).click();
  await page.getByText("they reach nobody").waitFor();
  expect(await page.locator("#coming + ul").textContent()).toContain("Sun 1 Jan 2040 09:00 Renew passport");
  await page.getByRole("textbox", { name: "Address" }).fill(receiver.url.href);
  await page.getByRole("button", { name: "Save webhook" }).click();
  await page.getByLabel("To your webhook").check();
  const digest = page.getByLabel("tell me what agents changed");
  expect(await digest.inputValue()).toBe("never");
  await digest.selectOption("Every Monday at eight");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Reminders go where you chose.").waitFor();
  expect(await digest.inputValue()).toBe("weekly");
  expect(await page.getByText("they reach nobody").count()).toBe(0);

  await letFail(await create("Call Grace", new Date().toISOString()));
  await page.goto(settingsPage);
  await page.getByText("Could not be sent to your webhook. The webhook answered 500.").waitFor();
  await page.getByText("What is sent, and how to check it").click();
  await expectAccessible(page);
  status = 204;
  const old = await page.context().newPage();
  await old.goto(settingsPage);
  await page.getByRole("button", { name: "Send again Call Grace" }).click();
  await page.getByText("It is on its way again.").waitFor();
  await old.getByRole("button", { name: "Send again Call Grace" }).click();
  await old.getByText("was sent again already").waitFor();
  await eventually(() => received.length > 0);
  await eventually(async () => {
    await page.goto(settingsPage);
    return (await page.getByText("Sent to your webhook on").count()) === 1;
  });
  expect(received.length).toBe(1);
  expect(JSON.parse(received[0] ?? "")).toMatchObject({ data: { todo: { title: "Call Grace" } } });
  expect(await page.getByRole("button", { name: /^Send again/ }).count()).toBe(0);
});
