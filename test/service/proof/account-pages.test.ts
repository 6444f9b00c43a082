import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { ageProofs } from "../../support/identity/proofs.ts";
import { axeFaults } from "../../support/pages/axe.ts";
import { browserTest, signedInPerson, useSite } from "../../support/pages/support.ts";

const site = await useSite();
const { baseUrl, authUrl } = site.stack.config;

/** The person comes back to the account pages with a sign-in at the provider that is eleven minutes old. */
async function comeBack(page: Page): Promise<void> {
  await ageProofs(site.identity);
  const cookies = await page.context().cookies();
  await page.context().clearCookies({ name: "kept_account" });
  expect(cookies.map(({ name }) => name)).toContain("kept_account");
  await page.goto(`${baseUrl}/account`);
  await page.getByRole("heading", { name: "Today" }).waitFor();
}

async function prove(page: Page): Promise<void> {
  await page.waitForURL(`${authUrl}/sign-in**`);
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

const webhooks = () => site.identity.sql("select url from webhooks");
const targets = () => site.identity.sql("select webhook_url from users where webhook_url is not null");

browserTest(
  "a webhook's address and an export take a proof of the last ten minutes, and then what was asked is done",
  async () => {
    const { page } = await signedInPerson(site);
    await comeBack(page);
    await page.goto(`${baseUrl}/account/webhooks`);
    await page.getByLabel("Address").fill("http://127.0.0.1:9/hook");
    await page.getByRole("button", { name: "Make", exact: true }).click();
    await page.waitForURL(`${authUrl}/sign-in**`);
    expect(await webhooks()).toEqual([]);
    await prove(page);
    await page.getByText("http://127.0.0.1:9/hook").waitFor();
    expect(await webhooks()).toEqual([]);
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText("Secret").first().waitFor();
    expect(await webhooks()).toEqual([{ url: "http://127.0.0.1:9/hook" }]);

    // The proof counts for the next form too.
    await page.goto(`${baseUrl}/account/settings`);
    await page.locator("#webhook_url").fill("http://127.0.0.1:9/reminders");
    await page.getByRole("button", { name: "Save webhook" }).click();
    await page.waitForURL(`${baseUrl}/account/settings**`);
    expect(await targets()).toEqual([{ webhook_url: "http://127.0.0.1:9/reminders" }]);

    await comeBack(page);
    await page.goto(`${baseUrl}/account/data`);
    await page.getByRole("link", { name: "Download everything (JSON)" }).click();
    const download = page.waitForEvent("download");
    await prove(page);
    await page.getByText("Your download begins.").waitFor();
    expect((await download).suggestedFilename()).toMatch(/^kept-.*\.json$/);
  },
);

browserTest("a passkey proves it as well, on a page that people can use", async () => {
  const { page } = await signedInPerson(site);
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("WebAuthn.enable");
  const options = { protocol: "ctap2", transport: "internal", hasResidentKey: true } as const;
  const willing = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
  await devTools.send("WebAuthn.addVirtualAuthenticator", { options: { ...options, ...willing } });
  await page.goto(`${authUrl}/profile`);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("button", { name: "Make the passkey" }).click();
  await page.getByText("Your passkey is added.").waitFor();

  await ageProofs(site.identity);
  await page.getByRole("button", { name: /Remove the passkey/ }).click();
  await page.getByRole("heading", { name: "Is it you?" }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole("button", { name: "Go on with a passkey" }).click();
  await page.getByText("The passkey is removed.").waitFor();
});
