import { expect } from "bun:test";
import { addInWords, browserTest, press, signUp, useSite } from "../support/pages/support.ts";

const site = await useSite();
const { baseUrl, authUrl } = site.stack.config;

const lines = [
  ["habit Meditate every day in the morning", "Meditate"],
  ["habit Run 3 times a week", "Run"],
  ["bad habit Smoking", "Smoking"],
  ["Pay rent every month on the 1st at 9", "Pay rent"],
  ["Call mum tomorrow", "Call mum"],
  ["Buy milk today #Groceries", "Buy milk"],
  ["Read the contract on Friday @desk", "Read the contract"],
] as const;

browserTest("a newcomer gets from the first page to the account's end by what the pages say", async () => {
  const page = await site.open({ timezoneId: "Europe/Berlin", viewport: { width: 390, height: 844 } });
  const goTo = (label: string) =>
    page
      .getByRole("link", { name: label, exact: true })
      .or(page.getByRole("link", { name: new RegExp(`^${label} \\d+$`) }))
      .first()
      .click();
  await page.goto(`${baseUrl}/somewhere`);
  await goTo("Go to the first page");
  await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
  await page.waitForURL(`${authUrl}/sign-in**`);
  await signUp(site, page);
  // The first screen shows no zeros and offers a first habit and a first todo.
  expect(await page.locator("#day").innerText()).not.toMatch(/(^|\s)0(\s|$)/);
  await page.getByRole("link", { name: "Renew the passport in 3 weeks" }).waitFor();
  await goTo("habit Read every evening");
  await press(page, "Add it like this");
  await page.getByRole("button", { name: "Done today: Read" }).waitFor();

  await page.setViewportSize({ width: 1_000, height: 700 });
  for (const [line, name] of lines) await addInWords(page, line, `Added: ${name}`);
  await goTo("Today");
  await press(page, "Done today: Meditate", "Done: Meditate");
  await press(page, "Done: Buy milk", "Done: Buy milk");
  await press(page, "Avoided today: Smoking", "2 of 4");

  await goTo("Meditate");
  await press(page, "Done, Yesterday: Meditate");
  await page.getByRole("button", { name: "Undo, Yesterday: Meditate" }).waitFor();
  await page.locator(".tile", { hasText: "2 day streak" }).waitFor();

  await goTo("Todos");
  await goTo("Call mum");
  await page.getByLabel("Or change it in words").fill("in 10 days");
  await press(page, "Save", "Saved: Call mum");
  await goTo("Todos");
  await page.getByLabel("Search").fill("milk");
  await page.waitForURL(/q=milk/);
  await page.getByRole("button", { name: "Open again: Buy milk" }).waitFor();
  expect(new URL(page.url()).searchParams.get("q")).toBe("milk");

  await goTo("Settings");
  await page.getByRole("link", { name: "Kept" }).first().click();
  await page.waitForURL(`${baseUrl}/account`);
  await goTo("Settings");
  await goTo("Your data");
  const [file] = await Promise.all([page.waitForEvent("download"), goTo("Download everything (JSON)")]);
  const exported = await Bun.file(await file.path()).json();
  expect(exported.habits).toMatchObject([{ name: "Read", time_of_day: "evening" }, {}, {}, {}]);
  expect(exported.todos).toHaveLength(4);

  await goTo("Settings");
  await goTo("Sign-in and account");
  await page.getByText("Delete my account and everything in it").click();
  await press(page, "Delete my account");
  await page.getByRole("heading", { name: "Account deleted" }).waitFor();
  await page.goto(`${baseUrl}/account`);
  await page.getByRole("link", { name: "Create an account" }).waitFor();
});
