import { describe, expect, test } from "bun:test";
import { useStack } from "../../harness.ts";
import { post, rpc } from "../../support/mcp.ts";

const stack = await useStack();
const { baseUrl } = stack.config;
const token = await stack.issuer.token();
const initialize = (protocolVersion: string) =>
  rpc("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } });

const toolScopes = "habits:read habits:write todos:read todos:write categories:read categories:write";

describe("tokens", () => {
  test("a request without a token is 401 and names the endpoint's metadata and the tools' scopes", async () => {
    const { status, headers } = await post(stack, rpc("tools/list"));
    expect(status).toBe(401);
    const metadata = `${baseUrl}/.well-known/oauth-protected-resource/mcp`;
    expect(headers.get("www-authenticate")).toBe(
      `Bearer realm="kept", resource_metadata="${metadata}", scope="${toolScopes}"`,
    );
    expect(await (await fetch(metadata)).json()).toMatchObject({ resource: `${baseUrl}/mcp` });
  });

  test("a bad token is 401 with error invalid_token", async () => {
    const { status, headers, body } = await post(stack, rpc("tools/list"), { token: "nope" });
    expect(status).toBe(401);
    expect(headers.get("www-authenticate")).toContain(`error="invalid_token"`);
    expect(body).toMatchObject({ jsonrpc: "2.0", id: null, error: { data: { code: "unauthenticated" } } });
  });

  test("a missing scope is 403 with the scope to ask for and a JSON-RPC error", async () => {
    const narrow = await stack.issuer.token({ scope: "todos:read habits:write" });
    const message = { ...rpc("tools/call", { name: "create-todo", arguments: { title: "x" } }), id: "a7" };
    const { status, headers, body } = await post(stack, message, { token: narrow });
    expect(status).toBe(403);
    expect(headers.get("www-authenticate")).toContain(`error="insufficient_scope", scope="todos:write"`);
    expect(headers.get("www-authenticate")).toContain("/.well-known/oauth-protected-resource/mcp");
    expect(body).toMatchObject({ jsonrpc: "2.0", id: "a7", error: { data: { code: "insufficient_scope" } } });
  });
});

describe("HTTP", () => {
  test.each(["GET", "DELETE", "PUT"])("%s is 405 and names POST", async (method) => {
    const response = await fetch(`${baseUrl}/mcp`, { method, headers: { authorization: `Bearer ${token}` } });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    const error = { data: { code: "method_not_allowed" } };
    expect(await response.json()).toMatchObject({ jsonrpc: "2.0", error });
  });

  test("another host is 403; any origin is served, because a browser adds no token by itself", async () => {
    const ask = async (headers: Record<string, string>) =>
      (await post(stack, rpc("tools/list"), { token, headers })).status;
    const foreign = await post(stack, rpc("tools/list"), { token, headers: { host: "kept-api:3000" } });
    expect([foreign.status, foreign.body.error.message]).toEqual([
      403,
      expect.stringContaining("AUTH_AUDIENCE"),
    ]);
    expect(await ask({ origin: "https://app.example" })).toBe(200);
    expect(await ask({ origin: "null" })).toBe(200);
    expect(await ask({ origin: baseUrl, host: "localhost:1" })).toBe(200);
  });

  test("a batch is refused", async () => {
    const { status, body } = await post(stack, [rpc("tools/list"), rpc("ping")], { token });
    expect(status).toBe(400);
    expect(body.error.code).toBe(-32_600);
  });

  test("what is not JSON is 400, what is not sent as JSON is 415, more than 64 KiB is 413", async () => {
    const broken = await post(stack, "{", { token });
    expect([broken.status, broken.body.error.code]).toEqual([400, -32_700]);
    expect((await post(stack, '"text"', { token })).status).toBe(400);
    expect((await post(stack, "{}", { token, headers: { "content-type": "text/plain" } })).status).toBe(415);
    const padded = (length: number) => rpc("tools/list", { _meta: { padding: "x".repeat(length) } });
    expect((await post(stack, padded(65_536), { token })).status).toBe(413);
    expect((await post(stack, padded(65_000), { token })).status).toBe(200);
  });

  test.each(["application/json", "*/*", "text/event-stream"])(
    "Accept: %s is answered in JSON",
    async (accept) => {
      const { status, headers } = await post(stack, rpc("tools/list"), { token, headers: { accept } });
      expect(status).toBe(200);
      expect(headers.get("content-type")).toContain("application/json");
    },
  );
});

describe("revisions", () => {
  test.each(["2025-11-25", "2025-06-18", "2025-03-26"])("%s is agreed on as asked", async (version) => {
    const { body } = await post(stack, initialize(version), { token });
    expect(body.result).toMatchObject({ protocolVersion: version, serverInfo: { name: "kept" } });
    const headers = { "mcp-protocol-version": version };
    expect((await post(stack, rpc("tools/list"), { token, headers })).body.result.tools).toHaveLength(10);
  });

  test("for another revision the newest with a handshake is offered, and a later header of it is 400", async () => {
    const { body } = await post(stack, initialize("2024-11-05"), { token });
    expect(body.result.protocolVersion).toBe("2025-11-25");
    const headers = { "mcp-protocol-version": "2024-11-05" };
    expect((await post(stack, rpc("tools/list"), { token, headers })).status).toBe(400);
  });

  const call = rpc("tools/call", { name: "get-today-habits", arguments: {} });
  const withMeta = (_meta: unknown) => ({ ...call, params: { ...call.params, _meta } });
  const pinned = { "mcp-protocol-version": "2025-06-18" };
  test.each<[string, object, Record<string, string>, number, unknown]>([
    ["a call of a revision by header is answered under its own id", { ...call, id: "a7" }, pinned, 200, "a7"],
    ["a call with a progress token", withMeta({ progressToken: 3 }), {}, 200, 1],
    ["a call of an unknown revision", call, { "mcp-protocol-version": "2024-11-05" }, 400, null],
    ["a call of the newest revision by header alone", call, { "mcp-protocol-version": "2026-07-28" }, 400, 1],
    ["a call with a malformed progress token", withMeta({ progressToken: {} }), {}, 400, 1],
    ["a call with a member too many", { ...call, more: 1 }, {}, 400, 1],
    ["a call with an id between two numbers", { ...call, id: 1.5 }, {}, 400, 1.5],
    ["a call that is no JSON-RPC 2.0", { ...call, jsonrpc: "1.0" }, {}, 400, 1],
  ])("%s: status and id", async (_, message, headers, status, id) => {
    const answer = await post(stack, message, { token, headers });
    expect([answer.status, answer.body.id]).toEqual([status, id]);
    expect(answer.body.result === undefined).toBe(status === 400);
  });

  test.each<[string, unknown, number | undefined]>([
    ["tools/list", null, undefined],
    ["tools/list", { cursor: null, _meta: { progressToken: null } }, undefined],
    ["initialize", { ...initialize("2025-06-18").params, capabilities: { sampling: null } }, undefined],
    ["resources/list", { cursor: null }, undefined],
    ["tools/call", { name: "get-today-habits", arguments: null, _meta: null }, undefined],
    ["tools/call", null, -32_602],
    ["tools/call", { name: null, arguments: {} }, -32_602],
    ["tools/call", { name: "get-today-habits", arguments: [] }, -32_602],
    ["tools/list", { cursor: 7 }, -32_602],
    ["prompts/list", { cursor: [] }, -32_602],
    ["prompts/get", null, -32_602],
    ["resources/read", { uri: null }, -32_602],
    ["initialize", null, -32_602],
    ["initialize", { protocolVersion: 7 }, -32_602],
    ["tools/list", "text", -32_600],
    ["no/such", {}, -32_601],
  ])(
    "%s with %j: null is absent, and a mistake of the client is called one",
    async (method, params, code) => {
      const { body } = await post(stack, { jsonrpc: "2.0", id: 1, method, params }, { token });
      expect([body.error?.code, body.result === undefined]).toEqual([code, code !== undefined]);
      expect(body.error?.message ?? "").not.toContain("{");
    },
  );

  test("notifications are accepted without an answer", async () => {
    const notification = { jsonrpc: "2.0", method: "notifications/initialized" };
    const { status, body } = await post(stack, notification, { token });
    expect([status, body]).toEqual([202, undefined]);
  });
});
