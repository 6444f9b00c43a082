import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { axeFaults } from "../support/pages/axe.ts";
import { addInWords, browserTest, press, signedInPerson, useSite } from "../support/pages/support.ts";

const site = await useSite();
const { baseUrl } = site.stack.config;

/** The zone of everybody in these tests. */
const today = new Date().toLocaleDateString("sv-SE", { timeZone: "Europe/Berlin" });
const focused = (page: Page) => page.locator(":focus");
const expectAccessible = async (page: Page) => expect(await axeFaults(page)).toEqual([]);

/** A person with a habit, who can make three todos. */
async function newPerson() {
  const { page, rest } = await signedInPerson(site, { viewport: { width: 1_280, height: 900 } });
  const habit = await rest("POST", "/habits", { name: "Photo a day", type: "good", frequency: "daily" });
  const makeTodos = () =>
    Promise.all([1, 2, 3].map((n) => rest("POST", "/todos", { title: `Todo ${n}`, due_date: today })));
  const titles = async () =>
    (await rest("GET", "/todos")).data.map(({ title }: { title: string }) => title).sort();
  return { page, rest, habit, makeTodos, titles };
}

browserTest("the palette leads to pages, todos and habits, and does what keys do", async () => {
  const { page, habit, makeTodos } = await newPerson();
  const todos = await makeTodos();
  const open = async (words: string) => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type(words);
  };
  await page.goto(`${baseUrl}/account`);
  await open("");
  await expectAccessible(page);
  await page.keyboard.type("todo 2");
  await page.getByRole("dialog").getByText("Todo 2").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${baseUrl}/account/todos/${todos[1].id}`);
  await page.goto(`${baseUrl}/account/habits`);
  await open("photo");
  await page.getByRole("dialog").getByText("Photo a day").waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`${baseUrl}/account/habits/${habit.id}`);
  await open("act");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${baseUrl}/account/actions`);
  await open("add some");
  await page.keyboard.press("Enter");
  expect(await focused(page).getAttribute("id")).toBe("quick-line");
});

browserTest("the day is walked by the tab key, and keys choose, edit, undo and search", async () => {
  const { page, rest, makeTodos, titles } = await newPerson();
  await page.goto(`${baseUrl}/account`);
  await page.keyboard.press("Tab");
  expect(await focused(page).textContent()).toBe("Skip to content");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  expect(await focused(page).getAttribute("id")).toBe("quick-line");
  for (let press = 0; press < 2; press++) await page.keyboard.press("Tab");
  expect(await focused(page).textContent()).toBe("Review");
  await page.keyboard.press("Tab");
  expect(await focused(page).textContent()).toBe("All todos");
  await page.keyboard.press("Tab");
  expect(await focused(page).getAttribute("aria-label")).toBe("Done today: Photo a day");
  await page.keyboard.press("Enter");
  await page.getByRole("img", { name: "1 of 1 done today" }).waitFor();

  await makeTodos();
  await page.goto(`${baseUrl}/account`);
  await page.evaluate("window.isTheSame = true");
  for (const key of ["j", "j", "e"]) await page.keyboard.press(key);
  const title = page.getByRole("dialog").getByLabel("Title");
  expect(await title.inputValue()).toBe("Todo 2");
  await expectAccessible(page);
  await title.fill("Call Mum, x and u");
  await page.keyboard.press("Enter");
  await page.getByText("Saved: Call Mum, x and u").waitFor();
  expect(await focused(page).getAttribute("aria-label")).toBe("Done: Call Mum, x and u");
  expect(await titles()).toEqual(["Call Mum, x and u", "Todo 1", "Todo 3"]);
  await page.keyboard.press("u");
  await page.getByText("Taken back.").waitFor();
  expect(await titles()).toEqual(["Todo 1", "Todo 2", "Todo 3"]);
  for (const key of ["k", "x"]) await page.keyboard.press(key);
  await page.getByLabel("Choose: Todo 3").click({ modifiers: ["Shift"] });
  expect(await page.locator(".pick:checked").count()).toBe(3);

  await page.locator("h1").click();
  await page.keyboard.press("?");
  await page.getByText("Use these shortcuts").click();
  await press(page, "Close");
  await page.keyboard.press("q");
  expect(await page.evaluate("document.activeElement.id")).not.toBe("quick-line");
  expect(await page.evaluate("window.isTheSame")).toBe(true);
  await press(page, "Shortcuts");
  await page.getByText("Use these shortcuts").click();
  await press(page, "Close");
  await page.keyboard.press("q");
  expect(await focused(page).getAttribute("id")).toBe("quick-line");
  await page.goto(`${baseUrl}/account`);
  await page.keyboard.press("/");
  await page.waitForURL(/todos#q$/);
  expect(await focused(page).getAttribute("type")).toBe("search");
  expect((await rest("GET", "/habits?completed_today=true")).meta.total).toBe(1);
});

browserTest("on a phone a person adds in words and sees how, edits, deletes and brings back", async () => {
  const { page, rest } = await signedInPerson(site, { viewport: { width: 320, height: 700 } });
  const check = async () => {
    await expectAccessible(page);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
  };
  await page.goto(`${baseUrl}/account`);
  const field = page.getByLabel("Add a todo or a habit in words");
  await field.fill("Pay rent every month on the 1st at 9 #Home @desk 10min");
  await page.getByRole("list", { name: "What was understood" }).waitFor();
  await check();
  await field.press("Enter");
  await page.getByText("Added: Pay rent").waitFor();
  expect(await field.inputValue()).toBe("");
  await check();
  expect(await page.locator("#notice").innerText()).toMatch(
    /every month .*09:00\s.*10 min\s.*desk\s.*#Home/s,
  );
  await addInWords(page, "habit Run 3 times a week", "Added: Run");
  expect(await page.getByRole("link", { name: "Run", exact: true }).count()).toBe(1);

  const [{ id }] = (await rest("GET", "/todos")).data;
  await page.goto(`${baseUrl}/account/todos/${id}`);
  await page.getByLabel("Title").fill("Pay the rent");
  await press(page, "Save", "Saved:");
  await press(page, "Delete this todo", "Deleted: Pay the rent");
  await press(page, "Undo", "Taken back.");
  expect((await rest("GET", `/todos/${id}`)).title).toBe("Pay the rent");

  // A day of the week chooses its rhythm, and another rhythm takes the days off.
  await page.goto(`${baseUrl}/account/habits/new`);
  await page.getByLabel("Mon", { exact: true }).check();
  expect(await page.getByLabel("On these days of the week").isChecked()).toBe(true);
  await page.getByLabel("Every day", { exact: true }).check();
  expect(await page.getByLabel("Mon", { exact: true }).isChecked()).toBe(false);
});
