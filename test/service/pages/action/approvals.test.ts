import { expect } from "bun:test";
import { browserTest, signedInPerson, useSite } from "../../../support/pages/support.ts";

const site = await useSite();
const { baseUrl } = site.stack.config;

async function personWithAgent() {
  const { page, newToken } = await signedInPerson(site);
  const token = await newToken("Claude");
  const rest = (method: string, path: string, body?: object) =>
    site.stack.rest(method, path, { token, ...(body && { body }) });
  const titles = async () =>
    (await rest("GET", "/todos")).body.data.map(({ title }: { title: string }) => title);
  return { page, rest, titles };
}

browserTest(
  "a person chooses what an agent must ask for, and decides about one request and about all",
  async () => {
    const { page, rest, titles } = await personWithAgent();
    const ids: number[] = [];
    for (const title of ["Rent", "Milk", "Bread", "Dentist"])
      ids.push((await rest("POST", "/todos", { title })).body.id);

    await page.goto(`${baseUrl}/account/actions`);
    await page.getByRole("link", { name: "What agents must ask you for" }).click();
    await page.locator("summary", { hasText: "Rules" }).click();
    await page.getByLabel("Ask me before it deletes anything").check();
    await page.getByLabel("Changes a day, at most").fill("5");
    await page.getByRole("button", { name: "Save the rules of Claude" }).click();
    await page.getByText("Its rules are saved.").waitFor();
    await page.getByText("Left today: 5 changes.").waitFor();

    for (const id of ids) expect((await rest("DELETE", `/todos/${id}`)).status).toBe(202);
    await page.goto(`${baseUrl}/account`);
    const cards = page.locator("#approvals li.card");
    expect(await cards.count()).toBe(3);
    expect(await cards.first().innerText()).toContain("Claude: Delete the todo Rent");
    await cards.first().getByRole("button", { name: "Approve" }).click();
    await page.getByText("1 approved and carried out.").waitFor();
    expect((await titles()).toSorted()).toEqual(["Bread", "Dentist", "Milk"]);

    await rest("PATCH", `/todos/${ids[2]}`, { title: "Brown bread" });
    await page.goto(`${baseUrl}/account/approvals`);
    await cards.nth(0).getByRole("button", { name: "Decline" }).click();
    await page.getByText("1 declined.").waitFor();
    await page.getByRole("button", { name: "Approve all 2" }).click();
    await page.getByText("approved", { exact: false }).first().waitFor();
    await page.goto(`${baseUrl}/account/approvals`);
    await page.getByText("Left alone: it was changed meanwhile").waitFor();
    await page.getByText("Nothing waits.").waitFor();
    expect((await titles()).toSorted()).toEqual(["Brown bread", "Milk"]);
  },
);

browserTest("chosen requests are declined together, and a form from elsewhere decides nothing", async () => {
  const { page, rest, titles } = await personWithAgent();
  await rest("POST", "/todos", { title: "First" });
  await page.goto(`${baseUrl}/account/agents`);
  await page.locator("summary", { hasText: "Rules" }).click();
  await page.getByLabel("Ask me before it changes more things at once than").fill("0");
  await page.getByRole("button", { name: "Save the rules of Claude" }).click();
  await page.getByText("Its rules are saved.").waitFor();
  for (const title of ["a", "b", "c"]) await rest("POST", "/todos", { title });
  await page.goto(`${baseUrl}/account/approvals`);
  const id = await page.locator("input[name=shown]").first().getAttribute("value");
  const forged = await page.evaluate(async (approval: string) => {
    const body = new URLSearchParams({ act: `approve ${approval}`, csrf: "x.y" });
    return (await fetch("/account/approvals", { method: "POST", body })).status;
  }, String(id));
  expect(forged).toBe(403);
  expect(await titles()).toEqual(["First"]);
  await page.getByLabel("Choose").nth(0).check();
  await page.getByLabel("Choose").nth(2).check();
  await page.getByRole("button", { name: "Decline the chosen ones" }).click();
  await page.getByText("2 declined.").waitFor();
  const left = page.locator("#approvals form li.card");
  expect(await left.allInnerTexts()).toEqual([expect.stringContaining("Create the todo b")]);
});
