import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { browserTest, callTool, signedInPerson, useSite } from "../../support/pages/support.ts";

const site = await useSite();
const { stack } = site;
const { baseUrl } = stack.config;
/** The zone of everybody in these tests. */
const today = new Date().toLocaleDateString("sv-SE", { timeZone: "Europe/Berlin" });

/** A person with a habit and enough todos to scroll, signed in with and without scripts. */
async function newPerson() {
  const viewport = { width: 800, height: 600 };
  const { page, newToken } = await signedInPerson(site, { viewport });
  const token = await newToken("Claude Desktop");
  const rest = async (method: string, path: string, body?: object) =>
    (await stack.rest(method, path, { token, ...(body && { body }) })).body;
  await rest("POST", "/habits", { name: "Read", type: "good", frequency: "daily" });
  for (let n = 1; n <= 12; n++) await rest("POST", "/todos", { title: `Todo ${n}`, due_date: today });
  const state = await page.context().storageState();
  const plain = await site.open({ viewport, javaScriptEnabled: false, storageState: state });
  return { page, plain, token, newToken, rest };
}

const scrollOf = (page: Page) => page.evaluate("scrollY") as Promise<number>;
const focusOf = (page: Page) => page.evaluate("document.activeElement.getAttribute('aria-label')");

browserTest("with scripts ticks keep place and focus, and what an agent does appears by itself", async () => {
  const { page, token, rest } = await newPerson();
  const faults: string[] = [];
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(`${baseUrl}/account`);
  await page.getByRole("button", { name: "Done: Todo 8" }).scrollIntoViewIfNeeded();
  const before = await scrollOf(page);
  expect(before).toBeGreaterThan(300);
  await page.getByRole("button", { name: "Done: Todo 8" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Done: Todo 8").waitFor();
  // The ticked row stays for some seconds, struck through; then the focus goes to the next one.
  expect([await scrollOf(page), await focusOf(page)]).toEqual([before, "Open again: Todo 8"]);
  await page.getByRole("button", { name: "Open again: Todo 8" }).waitFor({ state: "detached" });
  expect([await scrollOf(page), await focusOf(page)]).toEqual([before, "Done: Todo 9"]);
  expect(await page.getByRole("button", { name: "Undo", exact: true }).isVisible()).toBe(true);
  const notice = await page.locator("#notice .note").boundingBox();
  expect((notice?.y ?? 999) + (notice?.height ?? 999)).toBeLessThanOrEqual(600);
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByRole("button", { name: "Done: Todo 8" }).waitFor();
  expect(await scrollOf(page)).toBe(before);

  await page.evaluate("window.isTheSame = true");
  await callTool(site, token, "create-todo", { title: "From the agent", due_date: today });
  await page.getByRole("button", { name: "Done: From the agent" }).waitFor({ state: "attached" });
  await rest("POST", "/habits", { name: "Stretch", type: "good", frequency: "daily" });
  await page.getByRole("button", { name: "Done today: Stretch" }).waitFor({ state: "attached" });
  expect(await page.evaluate("window.isTheSame")).toBe(true);
  await page.goto(`${baseUrl}/account/actions?door=mcp&did=this`);
  await callTool(site, token, "create-todo", { title: "One more" });
  await page.getByText("Created the todo One more").waitFor();
  expect(asked.filter((url) => url.includes("did=this"))).toHaveLength(1);

  // A page from before shows the present state.
  await page.goto(`${baseUrl}/account`);
  await page.goto(`${baseUrl}/account/settings`);
  await callTool(site, token, "create-todo", { title: "While away", due_date: today });
  await page.goBack();
  await page.getByRole("button", { name: "Done: While away" }).waitFor({ state: "attached" });
  expect(faults).toEqual([]);
});

browserTest(
  "without scripts a tick leads to the next item, and nothing sent late or signed out is lost",
  async () => {
    const { plain, rest } = await newPerson();
    await plain.goto(`${baseUrl}/account`);
    await plain.getByRole("button", { name: "Done: Todo 8" }).click();
    await plain.getByText("Done: Todo 8").waitFor();
    const next = plain.getByRole("button", { name: "Done: Todo 9" });
    expect((await next.boundingBox())?.y).toBeGreaterThan(0);
    expect((await next.boundingBox())?.y).toBeLessThan(600);
    expect(await plain.getByRole("button", { name: "Undo", exact: true }).isVisible()).toBe(true);
    await plain.keyboard.press("Tab");
    expect(await plain.locator(":focus").getAttribute("aria-label")).toBe("Done: Todo 9");

    stack.clock.now = Date.now() + 24 * 3_600_000;
    await plain.getByRole("button", { name: "Done today: Read" }).click();
    await plain.getByText("Not ticked off yet: Read").waitFor();
    expect((await rest("GET", "/habits?completed_today=true")).meta.total).toBe(0);
    await plain.getByRole("button", { name: "Tick it for today" }).click();
    expect((await rest("GET", "/habits?completed_today=true")).meta.total).toBe(1);
    stack.clock.now = undefined;

    await plain.goto(`${baseUrl}/account`);
    const cookies = await plain.context().cookies();
    await plain.context().clearCookies({ name: "kept_account" });
    expect(cookies.some(({ name }) => name === "kept_account")).toBe(true);
    await plain.getByRole("button", { name: "Done: Todo 5" }).click();
    await plain.getByText("Go on with: Done: Todo 5?").waitFor();
    await plain.getByRole("button", { name: "Go on" }).click();
    await plain.getByText("Done: Todo 5").waitFor();
    expect((await rest("GET", "/todos?q=Todo 5")).data.map(({ title }: { title: string }) => title)).toEqual(
      [],
    );
  },
);

browserTest(
  "the light of the connect page turns green with a new client's first call, with and without scripts",
  async () => {
    const { page, plain, token, newToken } = await newPerson();
    const fresh = await newToken("Cursor");
    await page.goto(`${baseUrl}/account/connect`);
    await plain.goto(`${baseUrl}/account/connect`);
    await callTool(site, token, "get-pending-todos");
    await page.getByText("Waiting for the first call").waitFor();
    await callTool(site, fresh, "get-pending-todos");
    await page.getByText("Cursor made its first call").waitFor();
    expect(await page.locator("#light").getAttribute("class")).toContain("on");
    await plain.getByText("Waiting for the first call").waitFor();
    await plain.getByRole("link", { name: "Look again" }).click();
    await plain.getByText("Cursor made its first call").waitFor();
  },
);

browserTest(
  "a second tap at the same place ticks no neighbour, neither at once nor when the row has gone",
  async () => {
    const { page, rest } = await newPerson();
    await page.goto(`${baseUrl}/account`);
    const button = page.getByRole("button", { name: "Done: Todo 3", exact: true });
    await button.scrollIntoViewIfNeeded();
    const box = await button.boundingBox();
    if (!box) throw new Error("no button");
    const tap = () => page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    const pending = async () => (await rest("GET", "/todos")).meta.total;
    await tap();
    await page.getByText("Done: Todo 3").waitFor();
    await tap();
    await page
      .getByRole("button", { name: "Open again: Todo 3", exact: true })
      .waitFor({ state: "detached" });
    await tap();
    await Bun.sleep(1_000);
    expect(await pending()).toBe(11);
    await tap();
    await page.getByText(/Done: Todo (?!3)/).waitFor();
    expect(await pending()).toBe(10);
  },
);

browserTest("a day of the week chooses its rhythm, and another rhythm takes the days off", async () => {
  const { page } = await newPerson();
  await page.goto(`${baseUrl}/account/habits/new`);
  await page.getByLabel("Mon", { exact: true }).check();
  expect(await page.getByLabel("On these days of the week").isChecked()).toBe(true);
  await page.getByLabel("Every day", { exact: true }).check();
  expect(await page.getByLabel("Mon", { exact: true }).isChecked()).toBe(false);
});
