import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { contracts } from "../../../shared/contracts/catalogue.ts";
import { useStack } from "../../harness.ts";
import { browserTest, launchBrowser } from "../../support/pages/support.ts";

const { config } = await useStack();
const address = `${config.baseUrl}/docs`;
const operations = contracts.flatMap(({ rest = [] }) => rest);

async function open(javaScriptEnabled: boolean) {
  const browser = await launchBrowser();
  const page = await (await browser.newContext({ javaScriptEnabled })).newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  const hosts = new Set<string>();
  page.on("request", (request) => hosts.add(new URL(request.url()).origin));
  await page.goto(address);
  return { browser, page, complaints, hosts };
}

/** The lines and the open folds of an operation, as a reader sees them. */
async function read(page: Page, operationId: string): Promise<string> {
  const section = page.locator(`#${operationId}`);
  for (const fold of await section.locator("summary").all()) await fold.click();
  return section.innerText();
}

browserTest(
  "/docs shows each operation at its anchor, without scripts and from this server alone",
  async () => {
    const { browser, page, complaints, hosts } = await open(false);
    for (const { operationId, method, path } of operations)
      expect(await page.locator(`#${operationId} h3`).textContent()).toBe(`${method} ${path}`);
    const complete = await read(page, "completeHabit");
    expect(complete).toContain(
      `curl -H "Authorization: Bearer $KEPT_TOKEN" -X POST '${config.baseUrl}/api/v1/`,
    );
    expect(complete).toContain("Read 20 pages");
    expect(complete).toContain("409 CompleteHabitConflict");
    expect(await read(page, "createTodo")).toMatch(/title required\s+Name\s/);
    expect(complaints).toEqual([]);
    expect([...hosts]).toEqual([config.baseUrl]);
    await browser.close();
  },
);

browserTest("with scripts, /docs copies the lines of an operation", async () => {
  const { browser, page, complaints } = await open(true);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy the lines for createTodo" }).click();
  await page.getByText("Copied: the lines for createTodo").waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toContain('"title": "Water the plants"');
  expect(complaints).toEqual([]);
  await browser.close();
});

test("each link within /docs leads to a place of the page, and no place is there twice", async () => {
  const text = await (await fetch(address)).text();
  const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(ids).toEqual([...new Set(ids)]);
  const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  expect(links.length).toBeGreaterThan(operations.length);
  expect(links.filter((id) => !ids.includes(id))).toEqual([]);
});

test("/docs has the policy of all pages, and caches may keep it for minutes", async () => {
  const { headers } = await fetch(address);
  expect(headers.get("content-security-policy")).toStartWith(
    "default-src 'none'; style-src 'self'; img-src 'self'; manifest-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'",
  );
  expect(headers.get("cache-control")).toBe("public, max-age=300");
});
