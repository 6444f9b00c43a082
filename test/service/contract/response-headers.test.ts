import { expect, test } from "bun:test";
import { startStack, useStack } from "../../harness.ts";
import { rpc } from "../../support/mcp.ts";

const plain = await useStack();
const secure = await startStack({ workers: 0, env: { BASE_URL: "https://kept.example" } });

const headersOf = async (port: number, path: string, init: RequestInit = {}) =>
  (await fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual", ...init })).headers;

test("no answer's type is guessed, and what is not public is not stored", async () => {
  const authorization = `Bearer ${await plain.issuer.token()}`;
  const call = {
    ...{ method: "POST", headers: { authorization, "content-type": "application/json" } },
    body: JSON.stringify(rpc("tools/call", { name: "get-today-habits", arguments: {} })),
  };
  const answers = [
    ["/api/v1/todos", { headers: { authorization } }, "no-store"],
    ["/api/v1/todos", {}, "no-store"],
    ["/mcp", call, "no-store"],
    ["/mcp", {}, "no-store"],
    ["/nowhere", {}, "no-store"],
    ["/health/live", {}, "no-store"],
    ["/metrics", {}, "no-store"],
    ["/openapi.json", {}, "public, max-age=300"],
    ["/.well-known/oauth-protected-resource", {}, "public, max-age=300"],
  ] as const;
  for (const [path, init, cacheControl] of answers) {
    const headers = await headersOf(plain.config.port, path, init);
    const got = [path, headers.get("cache-control"), headers.get("x-content-type-options")];
    expect(got).toEqual([path, cacheControl, "nosniff"]);
    expect(headers.has("strict-transport-security")).toBe(false);
  }
});

test("where BASE_URL is https, every answer says to stay with it", async () => {
  for (const path of ["/api/v1/todos", "/mcp", "/openapi.json", "/account", "/nowhere"]) {
    const headers = await headersOf(secure.config.port, path, { headers: { host: "kept.example" } });
    expect([path, headers.get("strict-transport-security")]).toEqual([path, "max-age=31536000"]);
  }
});
