import { afterAll, expect } from "bun:test";
import { join } from "node:path";
import { browserTest, press, signedInPerson, useSite } from "../support/pages/support.ts";

const site = await useSite();
const { baseUrl } = site.stack.config;
const example = await Bun.file(join(import.meta.dir, "../../docs/browser/todos.html")).text();
const body = example.replace("http://localhost:3000", baseUrl);
const headers = { "content-type": "text/html" };
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(body, { headers }) });
afterAll(() => server.stop(true));
const anotherSite = `http://127.0.0.1:${server.port}`;

browserTest("another site's page signs in by PKCE, adds a todo, and reads nothing by cookies", async () => {
  const { page, rest } = await signedInPerson(site);
  await rest("POST", "/todos", { title: "Water the plants" });
  await page.goto(anotherSite);
  await press(page, "Sign in with Kept", "Connect Todos of Kept");
  await press(page, "Allow", "Water the plants");
  expect(page.url()).toBe(`${anotherSite}/`);
  await page.getByLabel("New todo").fill("Buy milk");
  await press(page, "Add", "Buy milk");
  expect(await page.getByRole("listitem").allTextContents()).toEqual(["Water the plants", "Buy milk"]);
  // The person is signed in at Kept, too.
  await page.goto(`${baseUrl}/account`);
  await page.getByText("Buy milk").waitFor();
  await page.goto(anotherSite);
  const ask = (address: string, init: RequestInit = {}) =>
    page.evaluate(
      ([to, how]) =>
        fetch(to as string, how as RequestInit).then(
          ({ status, headers }) => ({ status, headers: Object.fromEntries(headers) }),
          () => "not readable",
        ),
      [address, init] as unknown[],
    );
  const open = ["/account", "/account/todos", "/docs", "/", "/health/live", "/api/v1/todos"];
  for (const address of [...open, "/sign-in", "/profile", "/authorize"].map((path) => baseUrl + path))
    expect([address, await ask(address, { credentials: "include" })]).toEqual([address, "not readable"]);

  // A script reads refusals and headers, of MCP too.
  expect(await ask(`${baseUrl}/api/v1/todos`, { credentials: "omit" })).toMatchObject({ status: 401 });
  const json = { "content-type": "application/json", "mcp-protocol-version": "2025-11-25" };
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  expect(await ask(`${baseUrl}/mcp`, { method: "POST", headers: json, body: call })).toMatchObject({
    status: 401,
    headers: { "www-authenticate": expect.any(String) },
  });
  const deletion = { method: "DELETE", headers: { "idempotency-key": "k" } };
  expect(await ask(`${baseUrl}/api/v1/todos/999`, deletion)).toMatchObject({
    status: 401,
    headers: { "x-request-id": expect.any(String) },
  });
  expect(await ask(`${baseUrl}/api/v1/nowhere`, { method: "PATCH" })).toMatchObject({ status: 404 });
});
