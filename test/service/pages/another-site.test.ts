import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { freePort } from "../../harness.ts";
import { browserTest, signedInPerson, useSite } from "../../support/pages/support.ts";

const site = await useSite();
const { baseUrl, authUrl } = site.stack.config;
const example = await Bun.file(join(import.meta.dir, "../../../docs/browser/todos.html")).text();
const port = freePort();
const anotherSite = `http://localhost:${port}`;
let server: Bun.Server<undefined>;
beforeAll(() => {
  const body = example.replace("http://localhost:3000", baseUrl);
  const headers = { "content-type": "text/html" };
  server = Bun.serve({ port, hostname: "localhost", fetch: () => new Response(body, { headers }) });
});
afterAll(() => server.stop(true));

browserTest("a page of another site signs in by PKCE, lists todos and adds one", async () => {
  const { page, newToken } = await signedInPerson(site);
  await site.stack.rest("POST", "/todos", {
    body: { title: "Water the plants" },
    token: await newToken("t"),
  });
  await page.goto(anotherSite);
  await page.getByRole("button", { name: "Sign in with Kept" }).click();
  await page.getByRole("heading", { name: "Connect Todos of Kept" }).waitFor();
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByText("Water the plants").waitFor();
  expect(page.url()).toBe(`${anotherSite}/`);
  await page.getByLabel("New todo").fill("Buy milk");
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByText("Buy milk").waitFor();
  expect(await page.getByRole("listitem").allTextContents()).toEqual(["Water the plants", "Buy milk"]);
  // Signed in at Kept too, the page reads nothing by cookies.
  await page.goto(`${baseUrl}/account`);
  await page.getByText("Buy milk").waitFor();
  await page.goto(anotherSite);
  const tryToRead = (address: string, credentials: "include" | "omit") =>
    page.evaluate(
      ([to, how]) =>
        fetch(to, { credentials: how }).then(
          ({ status }) => status,
          () => "not readable",
        ),
      [address, credentials] as const,
    );
  for (const path of ["/account", "/account/todos", "/docs", "/", "/health/live"])
    expect([path, await tryToRead(baseUrl + path, "include")]).toEqual([path, "not readable"]);
  for (const path of ["/sign-in", "/profile", "/authorize", "/introspect"])
    expect([path, await tryToRead(authUrl + path, "include")]).toEqual([path, "not readable"]);
  expect(await tryToRead(`${baseUrl}/api/v1/todos`, "include")).toBe("not readable");
  expect(await tryToRead(`${baseUrl}/api/v1/todos`, "omit")).toBe(401);
});

browserTest("a script of another site reads refusals and headers, of MCP too", async () => {
  const page = await site.open();
  await page.goto(anotherSite);
  type Init = Readonly<{ method: string; headers?: Record<string, string>; body?: string }>;
  const ask = (path: string, init: Init) =>
    page.evaluate(
      async ([address, how]) => {
        const { status, headers } = await fetch(address, how);
        return { status, headers: Object.fromEntries(headers) };
      },
      [baseUrl + path, init] as const,
    );
  const json = { "content-type": "application/json", "mcp-protocol-version": "2025-11-25" };
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const refused = await ask("/mcp", { method: "POST", headers: json, body: call });
  expect(refused).toMatchObject({ status: 401, headers: { "www-authenticate": expect.any(String) } });
  const missing = await ask("/api/v1/todos/999", { method: "DELETE", headers: { "idempotency-key": "k" } });
  expect(missing.status).toBe(401);
  expect(Object.keys(missing.headers)).toContain("x-request-id");
  expect((await ask("/api/v1/nowhere", { method: "PATCH" })).status).toBe(404);
});

const preflight = (address: string, method = "POST", asked = "authorization, idempotency-key") =>
  fetch(address, {
    method: "OPTIONS",
    headers: {
      origin: "https://app.example",
      "access-control-request-method": method,
      "access-control-request-headers": asked,
    },
  });

test("preflights need no token, name what may be sent, and never allow credentials", async () => {
  const open = [
    ...["/api/v1/todos", "/api/v1/habits/1/complete", "/mcp", "/openapi.json"].map((path) => baseUrl + path),
    `${baseUrl}/.well-known/oauth-protected-resource/mcp`,
    ...["/token", "/register", "/revoke", "/jwks", "/userinfo"].map((path) => authUrl + path),
    `${authUrl}/.well-known/oauth-authorization-server`,
    `${authUrl}/.well-known/openid-configuration`,
  ];
  for (const address of open) {
    const { status, headers } = await preflight(address);
    expect([address, status]).toEqual([address, 204]);
    expect(Object.fromEntries(headers)).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-methods": expect.stringContaining("DELETE"),
      "access-control-allow-headers": "authorization, idempotency-key",
    });
    expect(headers.has("access-control-allow-credentials")).toBe(false);
  }
});

test("pages, sign-in and the addresses of the service itself answer no preflight", async () => {
  const closed = [
    ...["/", "/account", "/account/todos", "/docs", "/api/v1x", "/calendar/x"].map((path) => baseUrl + path),
    ...["/sign-in", "/authorize", "/session/end", "/profile"].map((path) => authUrl + path),
  ];
  for (const address of closed) {
    const { headers } = await preflight(address);
    expect([address, headers.get("access-control-allow-origin")]).toEqual([address, null]);
  }
});

test("a plain OPTIONS is refused as before, and an answer without Origin has no more headers", async () => {
  const { status, headers } = await fetch(`${baseUrl}/api/v1/todos`, { method: "OPTIONS" });
  expect([status, headers.get("allow")]).toEqual([405, "POST, GET"]);
  expect(headers.has("access-control-allow-origin")).toBe(false);
});
