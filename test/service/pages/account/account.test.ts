import { afterAll, expect } from "bun:test";
import { Webhook } from "standardwebhooks";
import { newestLink } from "../../../support/identity/support.ts";
import { browserTest, callTool, signedInPerson, startSite } from "../../../support/pages/support.ts";
import { startMailbox } from "../../../support/servers/mailbox.ts";

const mailbox = await startMailbox();
afterAll(() => mailbox.stop());
const site = await startSite({ WEBHOOK_ALLOW_LOOPBACK: "yes", SMTP_URL: mailbox.url });
const { baseUrl, authUrl } = site.stack.config;

async function newPerson() {
  const { page, email, newToken } = await signedInPerson(site, { mailbox });
  const token = await newToken("Script");
  const rest = (method: string, path: string, body?: object) =>
    site.stack.rest(method, path, { token, ...(body && { body }) });
  return { page, email, token, rest };
}

browserTest("a person ticks habits and todos off, and takes it back", async () => {
  const { page, rest } = await newPerson();
  await rest("POST", "/habits", { name: "Read", type: "good", frequency: "daily" });
  await rest("POST", "/habits", { name: "Smoke", type: "bad", frequency: "daily" });
  const due_date = new Date().toLocaleDateString("sv-SE", { timeZone: "Europe/Berlin" });
  const todo = await rest("POST", "/todos", { title: "Water the plants", due_date });

  await page.goto(`${baseUrl}/account`);
  expect(await page.locator("#habits").textContent()).toContain("0 of 2 done");
  await page.getByRole("button", { name: "Done today: Read" }).click();
  await page.getByRole("button", { name: "Avoided today: Smoke" }).click();
  await page.getByRole("button", { name: "Undo: Smoke" }).waitFor();
  await page.getByText("2 of 2 done").waitFor();
  expect((await rest("GET", "/habits?completed_today=true")).body.meta.total).toBe(2);
  // A tap within this time at the same place counts as the same tap.
  await page.waitForTimeout(700);
  await page.getByRole("button", { name: "Undo: Smoke" }).click();
  await page.getByText("1 of 2 done").waitFor();
  expect((await rest("GET", "/habits?completed_today=true")).body.meta.total).toBe(1);

  await page.getByRole("button", { name: "Done: Water the plants" }).click();
  await page.getByRole("status").getByText("Done: Water the plants").waitFor();
  expect((await rest("GET", `/todos/${todo.body.id}`)).body.is_completed).toBe(true);
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByText("Taken back.").waitFor();
  expect((await rest("GET", `/todos/${todo.body.id}`)).body.is_completed).toBe(false);
});

browserTest("everything can be done from the keyboard, and the picture is told in words", async () => {
  const { page, rest } = await newPerson();
  await rest("POST", "/habits", { name: "Read", type: "good", frequency: "daily" });
  await page.goto(`${baseUrl}/account`);
  await page.keyboard.press("Tab");
  expect(await page.locator(":focus").textContent()).toBe("Skip to content");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  expect(await page.locator(":focus").textContent()).toBe("All todos");
  await page.keyboard.press("Tab");
  expect(await page.locator(":focus").getAttribute("aria-label")).toBe("Done today: Read");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Undo: Read" }).waitFor();
  const picture = page.getByRole("img", { name: "1 completion in the last 14 days. Today: 1." });
  await picture.waitFor();
});

browserTest("markup in anything that others wrote stays text", async () => {
  const { page, rest, token } = await newPerson();
  const evil = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;
  page.on("dialog", (dialog) => expect(dialog.message()).toBe("no script runs"));
  const category = await rest("POST", "/categories", { name: evil });
  const category_id = category.body.id;
  await rest("POST", "/habits", { name: evil, type: "good", frequency: "daily", category_id });
  await rest("POST", "/todos", { title: evil, context: evil, category_id });
  await callTool(site, token, "create-todo", { title: evil, [evil]: evil });
  await callTool(site, token, evil.slice(0, 30), { [evil]: evil });
  for (const path of ["/account", "/account/actions", `/account/actions?tool=${encodeURIComponent(evil)}`]) {
    await page.goto(`${baseUrl}${path}`);
    expect(await page.locator('img[src], script:not([src^="/"])').count()).toBe(0);
  }
  await page.goto(`${baseUrl}/account`);
  expect(await page.getByText(evil).count()).toBeGreaterThanOrEqual(2);
});

browserTest("the settings decide what the user's today is", async () => {
  const { page, rest } = await newPerson();
  const todayOf = async () =>
    Object.keys((await rest("GET", "/dashboard")).body.activity_strip)
      .sort()
      .at(-1);
  site.stack.clock.now = Date.parse("2026-11-20T12:30:00Z");
  expect(await todayOf()).toBe("2026-11-20");

  await page.goto(`${baseUrl}/account/settings`);
  await page.getByLabel("Time zone").selectOption("Pacific/Auckland");
  await page.getByRole("button", { name: "Save your day" }).click();
  await page.getByText("Your day is saved.").waitFor();
  expect(await todayOf()).toBe("2026-11-21");
  await page.goto(`${baseUrl}/account`);
  await page.getByText(/Saturday,? 21 November 2026/).waitFor();

  await page.goto(`${baseUrl}/account/settings`);
  expect(await page.getByLabel("Time zone").inputValue()).toBe("Pacific/Auckland");
  await page.getByLabel("A new day starts at").selectOption("2 a.m.");
  await page.getByRole("button", { name: "Save your day" }).click();
  await page.getByText("Your day is saved.").waitFor();
  expect(await todayOf()).toBe("2026-11-20");
  site.stack.clock.now = undefined;
});

browserTest(
  "a webhook is saved, tested with its signature, chosen, and cannot be removed while in use",
  async () => {
    const { page } = await newPerson();
    const received: { headers: Record<string, string>; text: string }[] = [];
    const receiver = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        received.push({ headers: request.headers.toJSON(), text: await request.text() });
        return new Response();
      },
    });
    await page.goto(`${baseUrl}/account/settings`);
    expect(await page.getByLabel("To your webhook").isDisabled()).toBe(true);
    const address = page.getByRole("textbox", { name: "Address" });
    await address.fill("http://example.org/");
    await page.getByRole("button", { name: "Save webhook" }).click();
    await page.getByText("This must be a public https address").waitFor();
    expect(await address.inputValue()).toBe("http://example.org/");

    await address.fill(`http://127.0.0.1:${receiver.port}/hook`);
    await page.getByRole("button", { name: "Save webhook" }).click();
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("Delivered on").waitFor();
    const secret = (await page.locator(".secret").first().textContent()) ?? "";
    const [first] = received;
    expect(() => new Webhook(secret).verify(first?.text ?? "", first?.headers ?? {})).not.toThrow();

    await page.getByLabel("To your webhook").check();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    expect(await page.getByLabel("To your webhook").isChecked()).toBe(true);
    await address.fill("");
    await page.getByRole("button", { name: "Save webhook" }).click();
    await page.getByText("choose another way").waitFor();
    await receiver.stop(true);
  },
);

browserTest(
  "reminders go by e-mail to the confirmed address, and to a new one as soon as it is",
  async () => {
    const { page, email } = await newPerson();
    const addressForReminders = async () => {
      await page.goto(`${baseUrl}/account/settings`);
      return page.locator("label", { hasText: "By e-mail" }).innerText();
    };
    expect(await addressForReminders()).toContain(email);
    await page.getByLabel("By e-mail").check();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Reminders go where you chose.").waitFor();

    await page.goto(`${authUrl}/profile`);
    await page.getByText("Change my e-mail address").click();
    await page.getByLabel("New e-mail address").fill(`new-${email}`);
    await page.getByRole("button", { name: "Change address" }).click();
    await page.getByText("Your address changes when you use it").waitFor();
    expect(await addressForReminders()).toContain(email);
    await page.goto(newestLink(mailbox, `new-${email}`));
    await page.getByRole("button", { name: "Confirm my address" }).click();
    await page.getByText("Your e-mail address is confirmed").waitFor();
    expect(await addressForReminders()).toContain(`new-${email}`);
    expect(await page.getByLabel("By e-mail").isChecked()).toBe(true);
    await page.getByText(`You are signed in as new-${email}`).waitFor();
  },
);
