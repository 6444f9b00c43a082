import { expect } from "bun:test";
import { browserTest, signUp, useSite } from "../../../support/pages/support.ts";

const site = await useSite();
const { baseUrl } = site.stack.config;

const lines = [
  ["habit Meditate every day in the morning", "Meditate"],
  ["habit Run 3 times a week", "Run"],
  ["bad habit Smoking", "Smoking"],
  ["Pay rent every month on the 1st at 9", "Pay rent"],
  ["Call mum tomorrow", "Call mum"],
  ["Buy milk today #Groceries", "Buy milk"],
  ["Renew passport in 3 weeks 30min", "Renew passport"],
  ["Read the contract on Friday @desk", "Read the contract"],
] as const;

browserTest(
  "a newcomer without an agent: from the sign-up through a day to the end of the account, by what the pages say",
  async () => {
    const page = await site.open({ timezoneId: "Europe/Berlin" });
    await signUp(site, page);
    const goTo = (label: string) => page.getByRole("link", { name: label, exact: true }).first().click();
    const press = (label: string) => page.getByRole("button", { name: label, exact: true }).click();

    for (const [line, name] of lines) {
      await page.getByLabel("Add a todo or a habit in words").fill(line);
      await page.getByLabel("Add a todo or a habit in words").press("Enter");
      await page.getByText(`Added: ${name}`).waitFor();
    }

    await goTo("Today");
    await press("Done today: Meditate");
    await page.getByText("Done: Meditate").waitFor();
    await press("Done: Buy milk");
    await page.getByText("Done: Buy milk").waitFor();

    await goTo("Meditate");
    await press("I did it: Yesterday");
    await page.getByRole("button", { name: "Take back: Yesterday" }).waitFor();
    expect(await page.locator(".tile").first().innerText()).toStartWith("2");

    await goTo("Todos");
    await goTo("Call mum");
    await page.getByLabel("Or change it in words").fill("in 10 days");
    await press("Save");
    await page.getByText("Saved: Call mum").waitFor();

    await goTo("Todos");
    await page.getByLabel("Search").fill("milk");
    await press("Show");
    await page.getByRole("button", { name: "Open again: Buy milk" }).waitFor();

    await goTo("Settings");
    await goTo("Export, import and a calendar feed");
    const [file] = await Promise.all([page.waitForEvent("download"), goTo("Download everything (JSON)")]);
    const exported = await Bun.file(await file.path()).json();
    expect(exported.habits).toHaveLength(3);
    expect(exported.todos).toHaveLength(5);

    await goTo("Settings");
    await page.getByRole("link", { name: "Account: e-mail address" }).click();
    await page.getByText("Delete my account and everything in it").click();
    await press("Delete my account");
    await page.getByRole("heading", { name: "Account deleted" }).waitFor();
    await page.goto(`${baseUrl}/account`);
    await page.getByRole("link", { name: "Create an account" }).waitFor();
  },
);
