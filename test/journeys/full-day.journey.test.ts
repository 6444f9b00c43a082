import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { addDays } from "../../shared/domain/day/day.ts";
import { browserTest, press, signedInPerson, useSite } from "../support/pages/support.ts";
import { eventually } from "../support/reminder/stack.ts";

const site = await useSite();
const { baseUrl } = site.stack.config;
/** In the zone of everybody in these tests. */
const today = new Date().toLocaleDateString("sv-SE", { timeZone: "Europe/Berlin" });
const desk = { width: 1_280, height: 900 };
const phone = { width: 390, height: 844 };
const low = { width: 800, height: 600 };

/** A full day: 12 habits, and 40 todos of which 5 are overdue and 10 due today. */
async function fullDay() {
  const { page, rest, call } = await signedInPerson(site, { viewport: desk });
  const habit = { type: "good", frequency: "daily", grace_days: 0 };
  const days = [-3, 0, 0, 1, 4, 9, null, null];
  for (let n = 1; n <= 12; n++) await rest("POST", "/habits", { ...habit, name: `Habit ${n}` });
  // The list has them in the order in which they were made.
  for (let n = 0; n < 40; n++) {
    const inDays = days[n % days.length];
    const due_date = inDays == null ? undefined : addDays(today, inDays);
    await rest("POST", "/todos", { title: `Todo ${n + 1}`, due_date });
  }
  return { page, rest, call };
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const scrollOf = (page: Page) => page.evaluate("scrollY") as Promise<number>;
const focusOf = async (page: Page) =>
  String(await page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''"));

/** Six tasks can be ticked on the first screen, and the first todo is some presses of the tab key away. */
async function expectFirstScreen(page: Page, viewport: typeof desk) {
  await page.setViewportSize(viewport);
  await page.goto(`${baseUrl}/account`);
  const ticks = await page.locator("button.tick:visible").all();
  const boxes = await Promise.all(ticks.map((one) => one.boundingBox()));
  const onScreen = boxes.filter((box) => box && box.y >= 0 && box.y + box.height <= viewport.height);
  expect(onScreen.length).toBeGreaterThanOrEqual(6);
  let tabs = 0;
  for (; !(await focusOf(page)).startsWith("Done: Todo") && tabs < 20; tabs++) {
    await page.keyboard.press("Tab");
    if ((await page.locator(":focus").textContent()) === "Skip to content")
      await page.keyboard.press("Enter");
  }
  expect(tabs).toBeLessThanOrEqual(8);
}

browserTest("a full day at a desk, on a phone and without scripts keeps place and focus", async () => {
  const { page, rest, call } = await fullDay();
  for (const viewport of [desk, phone]) await expectFirstScreen(page, viewport);
  const overdue = async () => (await rest("GET", "/todos?due=overdue")).meta.total;
  expect(await button(page, "Done: Todo 1").isVisible()).toBe(false);
  await press(page, "Move to today", "Moved to today: 5 at once");
  await button(page, "Done: Todo 1").waitFor();
  expect(await overdue()).toBe(0);
  await press(page, "Undo", "Taken back.");
  expect(await overdue()).toBe(5);

  const faults: string[] = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(error.message));
  await page.setViewportSize(low);
  await page.goto(`${baseUrl}/account`);
  await button(page, "Done: Todo 34").scrollIntoViewIfNeeded();
  await button(page, "Done: Todo 34").focus();
  const before = await scrollOf(page);
  expect(before).toBeGreaterThan(300);
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("Done: Todo 34").waitFor();
  // The ticked row stays for some seconds, struck through; then the focus goes to the next one.
  expect([await scrollOf(page), await focusOf(page)]).toEqual([before, "Open again: Todo 34"]);
  await button(page, "Open again: Todo 34").waitFor({ state: "detached" });
  expect([await scrollOf(page), await focusOf(page)]).toEqual([before, "Done: Todo 35"]);
  expect(await button(page, "Undo").isVisible()).toBe(true);
  const notice = await page.locator("#notice .note").boundingBox();
  expect((notice?.y ?? 999) + (notice?.height ?? 999)).toBeLessThanOrEqual(low.height);
  await button(page, "Undo").click();
  await button(page, "Done: Todo 34").waitFor();
  expect(await scrollOf(page)).toBe(before);

  // A page from before shows the present state.
  await page.goto(`${baseUrl}/account/settings`);
  await call("create-todo", { title: "While away", due_date: today });
  await page.goBack();
  await button(page, "Done: While away").waitFor({ state: "attached" });
  expect(faults).toEqual([]);

  const storageState = await page.context().storageState();
  const plain = await site.open({ viewport: low, javaScriptEnabled: false, storageState });
  await plain.goto(`${baseUrl}/account`);
  await button(plain, "Done: Todo 34").click();
  await plain.getByText("Done: Todo 34").waitFor();
  expect((await button(plain, "Done: Todo 35").boundingBox())?.y).toBeWithin(0, low.height);
  expect(await button(plain, "Undo").isVisible()).toBe(true);
  await plain.keyboard.press("Tab");
  expect(await plain.locator(":focus").getAttribute("aria-label")).toBe("Done: Todo 35");
});

/** Taps a button, its place again at once, and once more in the moment in which its row goes. */
const threeTaps = (label: string) => `new Promise((resolve) => {
  const button = document.querySelector('[aria-label="${label}"]');
  button.scrollIntoView({ block: "center" });
  const { x, y, width, height } = button.getBoundingClientRect();
  const [clientX, clientY] = [x + width / 2, y + height / 2];
  const how = { detail: 1, clientX, clientY, bubbles: true, cancelable: true };
  window.tap = () => document.elementFromPoint(clientX, clientY).dispatchEvent(new MouseEvent("click", how));
  new MutationObserver((_, watch) => {
    if (button.isConnected) return;
    watch.disconnect();
    window.tap();
    resolve(document.querySelectorAll("li.done").length);
  }).observe(document.body, { childList: true, subtree: true });
  window.tap();
  window.tap();
})`;

browserTest("a second tap at the same place ticks no neighbour, at once or after its row", async () => {
  const { page, rest } = await fullDay();
  const sent: string[] = [];
  page.on("request", (request) => request.url().endsWith("/tick") && sent.push(request.url()));
  await page.goto(`${baseUrl}/account`);
  expect(await page.evaluate(threeTaps("Done: Todo 3"))).toBe(0);
  expect([sent.length, (await rest("GET", "/todos?status=completed")).meta.total]).toEqual([1, 1]);
  await page.evaluate("new Promise((go) => setTimeout(go, 750)).then(window.tap)");
  await eventually(() => sent.length === 2);
  await page.getByText(/Done: Todo (?!3$)/).waitFor();
});

browserTest("as many todos as a page shows are changed at once, and brought back by one undo", async () => {
  const { page, rest } = await signedInPerson(site, { viewport: desk });
  const late = addDays(today, -1);
  await Promise.all(
    Array.from({ length: 120 }, (_, n) => rest("POST", "/todos", { title: `Late ${n}`, due_date: late })),
  );
  const dueOn = async (date: string) =>
    (await rest("GET", `/todos?due_from=${date}&due_to=${date}`)).meta.total;
  await page.goto(`${baseUrl}/account`);
  await press(page, "Move to today 100", "Moved to today: 100 at once");
  expect([await dueOn(today), await dueOn(late)]).toEqual([100, 20]);
  await press(page, "Undo", "Taken back.");
  expect([await dueOn(today), await dueOn(late)]).toEqual([0, 120]);
  await page.goto(`${baseUrl}/account/todos`);
  await page.locator(".pick").first().click();
  const last = page.locator(".pick").last();
  await last.click({ modifiers: ["Shift"] });
  await page.getByText("Edit", { exact: true }).click();
  await page.getByLabel("Important").selectOption("Yes");
  await press(page, "Save", "Changed: 100 at once");
  const important = page.getByRole("img", { name: "Important" });
  await eventually(async () => (await important.count()) === 100);
  await press(page, "Undo", "Taken back.");
  await eventually(async () => (await important.count()) === 0);
});

browserTest("rows of todos and habits are changed in place, each by one action with one undo", async () => {
  const { page, rest } = await signedInPerson(site, { viewport: desk });
  const todos = await Promise.all(
    [1, 2, 3].map((n) => rest("POST", "/todos", { title: `Todo ${n}`, due_date: today })),
  );
  const dates = async () =>
    Promise.all(todos.map(async ({ id }) => (await rest("GET", `/todos/${id}`)).due_date));
  const { id } = await rest("POST", "/habits", { name: "Run", type: "good", frequency: "daily" });
  await page.goto(`${baseUrl}/account`);
  expect(await button(page, "Tomorrow").isVisible()).toBe(false);
  for (const n of [1, 3]) await page.getByLabel(`Choose: Todo ${n}`).click();
  await press(page, "Tomorrow", "Moved to tomorrow: 2 at once");
  expect(await dates()).toEqual([addDays(today, 1), today, addDays(today, 1)]);
  await press(page, "Undo", "Taken back.");
  expect(await dates()).toEqual([today, today, today]);

  await press(page, "Yesterday, not done: Run", "Done: Run");
  await button(page, "Yesterday, done: Run").waitFor();
  const { data } = await rest("GET", `/habits/${id}/completions`);
  expect(data).toMatchObject([{ date: addDays(today, -1) }]);
  await page.goto(`${baseUrl}/account/habits`);
  await page.locator("summary[aria-label='More: Run']").click();
  await press(page, "Skip today", "Skipped: Run");
  expect((await rest("GET", `/habits/${id}`)).skipped_dates).toEqual([today]);
  await press(page, "Undo", "Taken back.");
  expect((await rest("GET", `/habits/${id}`)).skipped_dates).toEqual([]);
});
