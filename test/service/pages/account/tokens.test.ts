import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { tokenGuides } from "../../../../api/web/connect-guides.ts";
import { axeFaults } from "../../../support/pages/axe.ts";
import { browserTest, signedInPerson, useSite } from "../../../support/pages/support.ts";

const site = await useSite();
const { baseUrl, authUrl, tokenCacheSeconds } = site.stack.config;
const tokensPage = `${authUrl}/profile/api-tokens`;

const shownToken = async (page: Page) => (await page.locator(".created .secret").first().textContent()) ?? "";
const statusOf = async (token: string) => (await site.stack.rest("GET", "/todos", { token })).status;
const untilForgotten = () => Bun.sleep(tokenCacheSeconds * 1_000);

async function expectAccessible(page: Page) {
  expect(await axeFaults(page)).toEqual([]);
}

browserTest(
  "a token from a preset to its end: copied, reloaded, renamed, narrowed, renewed, revoked",
  async () => {
    const { page } = await signedInPerson(site, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.setViewportSize({ width: 320, height: 700 });
    await page.goto(tokensPage);
    expect(await page.getByLabel("todos:write").isVisible()).toBe(false);
    await page.getByLabel("Name").fill("Laptop script");
    await page.getByLabel("Everything", { exact: false }).last().check();
    await page.getByRole("button", { name: "Create token" }).click();
    const token = await shownToken(page);
    for (const summary of await page.locator(".created summary").all()) await summary.click();
    await expectAccessible(page);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    for (const { client, lines } of tokenGuides(baseUrl, token)) {
      await page.getByRole("button", { name: `Copy the lines for ${client}` }).click();
      await page.getByText(`Copied: the lines for ${client}`).waitFor({ state: "attached" });
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(lines);
    }
    await page.reload();
    expect(await page.getByRole("link", { name: "Change" }).count()).toBe(1);
    expect(await page.content()).not.toContain(token);
    expect(await statusOf(token)).toBe(200);

    await page.getByRole("link", { name: "Change Laptop script" }).click();
    await page.getByLabel("Name").fill("Reader");
    for (const scope of ["todos:read", "todos:write"]) await page.getByLabel(scope).uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Your changes are saved.").waitFor();
    await untilForgotten();
    expect(await statusOf(token)).toBe(403);

    await page.getByRole("link", { name: "Change Reader" }).click();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Make a new secret" }).click();
    const second = await shownToken(page);
    await untilForgotten();
    expect(await statusOf(token)).toBe(401);
    expect(await statusOf(second)).toBe(403);

    await page.getByText("Revoke Reader?").click();
    await page.getByRole("button", { name: "Revoke Reader" }).click();
    await page.getByText("It has ended.").waitFor();
    await untilForgotten();
    expect(await statusOf(second)).toBe(401);
  },
);

browserTest("without scripts the presets, the boxes and the lines are there as well", async () => {
  const { page } = await signedInPerson(site, { javaScriptEnabled: false });
  await page.goto(tokensPage);
  await page.getByLabel("Name").fill("Script");
  await page.getByLabel("Only what I choose").check();
  await page.getByLabel("todos:read").check();
  await page.getByRole("button", { name: "Create token" }).click();
  const token = await shownToken(page);
  expect(await statusOf(token)).toBe(200);
  const shown = await page.locator(".created details code.secret").allTextContents();
  expect(shown).toEqual(tokenGuides(baseUrl, token).map(({ lines }) => lines));
});
