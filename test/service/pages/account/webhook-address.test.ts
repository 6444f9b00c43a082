import { expect } from "bun:test";
import { browserTest, signedInPerson, useSite } from "../../../support/pages/support.ts";

const site = await useSite();

browserTest("an address that leads to this machine or a private network is not saved", async () => {
  const { page } = await signedInPerson(site);
  await page.goto(`${site.stack.config.baseUrl}/account/settings`);
  const address = page.getByRole("textbox", { name: "Address" });
  const refused = [
    "https://10.0.0.1/x",
    "https://169.254.169.254/latest",
    "http://localhost:9/hook",
    "https://[::1]/",
  ];
  for (const url of refused) {
    await address.fill(url);
    await page.getByRole("button", { name: "Save webhook" }).click();
    await page.getByText("This must be a public https address").waitFor();
    expect(await address.inputValue()).toBe(url);
  }
  expect(await page.getByText("Send a test").count()).toBe(0);
});
