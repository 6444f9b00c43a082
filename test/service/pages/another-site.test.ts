import { expect, test } from "bun:test";
import { useSite } from "../../support/pages/support.ts";

const { baseUrl, authUrl } = (await useSite()).stack.config;

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
