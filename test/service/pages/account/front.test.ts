import { expect, test } from "bun:test";
import { useStack } from "../../../harness.ts";
import { createBrowser } from "../../../support/identity/browser.ts";

const { baseUrl } = (await useStack()).config;

test("the first page says in two sentences what this is, shows a day, and every link on it leads somewhere", async () => {
  const page = await createBrowser(baseUrl).open("/");
  expect(page.status).toBe(200);
  const [, sentences = ""] = /<p class="lead quiet">([\s\S]*?)<\/p>/.exec(page.text) ?? [];
  expect(sentences.match(/\.(\s|$)/g)).toHaveLength(2);
  expect(page.text).toContain('role="img" aria-label="Today in Kept');
  const links = [...page.text.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href]) => href);
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
  const programs = ["/api/v1/nothing", "/api", "/mcp/nothing", "/health/nothing"];
  programs.push("/.well-known/nothing", "/.well-known/security.txt");
  const calls = programs.map((path) => [path, browsers] as const);
  for (const [path, accept] of [["/habit", "*/*"], ["/habit", "application/json"], ...calls] as const) {
    const answer = await ask(path, accept);
    const { code } = (await answer.json()) as { code: string };
    expect({ path, status: answer.status, code }).toEqual({ path, status: 404, code: "not_found" });
  }
});
