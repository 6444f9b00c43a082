import { expect, test } from "bun:test";
import { contracts } from "../../../shared/contracts/catalogue.ts";
import { startStack } from "../../harness.ts";
import { browserTest, launchBrowser } from "../../support/pages/support.ts";

const { config } = await startStack();
const operations = contracts.flatMap(({ rest = [] }) => rest);

browserTest("/docs shows every operation with its example, from files of this server alone", async () => {
  const browser = await launchBrowser();
  const page = await browser.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  const hosts = new Set<string>();
  page.on("request", (request) => hosts.add(new URL(request.url()).origin));
  await page.goto(`${config.baseUrl}/docs`);
  const operation = page.locator(".opblock", { hasText: "/habits/{habit_id}/complete" }).first();
  await operation.waitFor();
  expect(await page.locator(".opblock").count()).toBe(operations.length);
  await operation.locator(".opblock-summary-control").click();
  await operation.getByText("Read 20 pages").waitFor();
  expect(complaints).toEqual([]);
  expect([...hosts]).toEqual([config.baseUrl]);
  await browser.close();
});

test("the viewer's files may be kept for a year, and its page allows no script beside them", async () => {
  const page = await fetch(`${config.baseUrl}/docs`);
  expect(page.headers.get("content-security-policy")).toContain("script-src 'self'; style-src 'self';");
  const files = [...(await page.text()).matchAll(/"(\/docs\/[^"]+)"/g)].map(([, href]) => href);
  expect(files).toHaveLength(3);
  for (const href of files) {
    const { status, headers } = await fetch(`${config.baseUrl}${href}`);
    expect([href, status, headers.get("cache-control"), headers.get("content-type")]).toEqual([
      href,
      200,
      "public, max-age=31536000, immutable",
      expect.stringMatching(href?.includes(".css") ? /^text\/css/ : /^text\/javascript/),
    ]);
  }
});
