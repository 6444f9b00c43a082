import { afterAll, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as present from "@modelcontextprotocol/client";
import * as legacy from "@modelcontextprotocol/sdk/client/auth.js";
import { freePort, startStack } from "../../harness.ts";
import { oauthAgent } from "../../support/identity/oauth-agent.ts";
import { runIdentity, signedUp } from "../../support/identity/support.ts";

// Registered before the stack's own, so that it runs first: the provider uses the stack's database.
afterAll(() => identity.stop());
const dataDir = await mkdtemp(join(tmpdir(), "kept-identity-"));
const stack = await startStack({
  env: { AUTH_URL: "", IDENTITY_PORT: String(freePort()), DATA_DIR: dataDir, TOKEN_CACHE_SECONDS: "0" },
});
const identity = await runIdentity(stack.config);
const serverUrl = `${stack.config.baseUrl}/mcp`;

type Tokens = { access_token: string; scope?: string | undefined; refresh_token?: string | undefined };

const clients = {
  "@modelcontextprotocol/client": present.auth,
  "@modelcontextprotocol/sdk": legacy.auth,
};

for (const [name, auth] of Object.entries(clients)) {
  test(`${name}, given only the address of /mcp, registers, signs in and steps up`, async () => {
    const browser = await signedUp(identity.config);
    const provider = oauthAgent(browser, [["todos:read"], ["todos:read", "todos:write"]]);
    const signIn = async (scope: string) => {
      expect(await auth(provider, { serverUrl, scope })).toBe("REDIRECT");
      const authorizationCode = provider.came().get("code") ?? "";
      const iss = provider.came().get("iss") ?? "";
      expect(await auth(provider, { serverUrl, authorizationCode, iss })).toBe("AUTHORIZED");
      const { access_token: token } = provider.tokens() as unknown as Tokens;
      return (method: string, body?: object) =>
        stack.rest(method, "/todos", { token, ...(body && { body }) });
    };

    const first = await signIn("todos:read");
    expect((await first("GET")).status).toBe(200);
    const refused = await first("POST", { title: "Water the plants" });
    expect(refused.status).toBe(403);
    expect(refused.headers.get("www-authenticate")).toContain(`scope="todos:write"`);

    // A client that starts over, as after a 403, with its tokens put aside.
    provider.saveTokens(undefined);
    const second = await signIn("todos:write");
    expect((await second("POST", { title: "Water the plants" })).status).toBe(201);
    expect((await second("GET")).status).toBe(200);
  });
}
