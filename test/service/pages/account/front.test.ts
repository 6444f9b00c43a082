import { expect, test } from "bun:test";
import { createBrowser } from "../../../support/identity/browser.ts";
import { browserTest, signUp, useSite } from "../../../support/pages/support.ts";

const site = await useSite();
const { baseUrl, authUrl } = site.stack.config;

test("the first page says what this is in three sentences, and every link on it leads somewhere", async () => {
  const page = await createBrowser(baseUrl).open("/");
  expect(page.status).toBe(200);
  const [, sentences = ""] = /<p>(Kept [\s\S]*?)<\/p>/.exec(page.text) ?? [];
  expect(sentences.match(/\.(\s|$)/g)).toHaveLength(3);
  const links = [...page.text.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href);
  expect(links).toEqual(expect.arrayContaining(["/account", "/account/connect", "/docs"]));
  for (const link of links) {
    const { status } = await fetch(new URL(link ?? "", baseUrl), { redirect: "manual" });
    expect({ link, leads: [200, 303].includes(status) }).toEqual({ link, leads: true });
  }
});

const ask = (path: string, accept: string, method = "GET") =>
  fetch(`${baseUrl}${path}`, { method, headers: { accept } });
const browsers = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

test("a browser gets a page where nothing is, as complete as all others", async () => {
  const answer = await ask("/habit", browsers);
  expect(answer.status).toBe(404);
  expect(answer.headers.get("content-type")).toContain("text/html");
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(await answer.text()).toContain("There is no page at this address.");
});

test("programs get JSON, and addresses of programs answer in JSON to browsers too", async () => {
  const calls = [
    ["/habit", "*/*"],
    ["/habit", "application/json"],
    ["/api/v1/nothing", browsers],
    ["/api", browsers],
    ["/mcp/nothing", browsers],
    ["/health/nothing", browsers],
    ["/.well-known/nothing", browsers],
    ["/.well-known/security.txt", browsers],
  ] as const;
  for (const [path, accept] of calls) {
    const answer = await ask(path, accept);
    const { code } = (await answer.json()) as { code: string };
    expect({ path, status: answer.status, code }).toEqual({ path, status: 404, code: "not_found" });
  }
});

browserTest("from the first page a person gets to sign in, and from their day back to it", async () => {
  const page = await site.open();
  await page.goto(`${baseUrl}/somewhere`);
  await page.getByRole("link", { name: "Go to the first page" }).click();
  await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
  await page.waitForURL(`${authUrl}/sign-in**`);
  await signUp(site, page);
  await page.getByRole("link", { name: "Settings", exact: true }).click();
  await page.getByRole("link", { name: "Kept" }).click();
  await page.waitForURL(`${baseUrl}/account`);
});
