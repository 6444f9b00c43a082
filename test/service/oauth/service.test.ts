import { expect, test } from "bun:test";
import * as present from "@modelcontextprotocol/client";
import * as legacy from "@modelcontextprotocol/sdk/client/auth.js";
import { oauthAgent } from "../../support/identity/oauth-agent.ts";
import { signedUp, tokenByForm } from "../../support/identity/support.ts";
import { useSite } from "../../support/pages/support.ts";
import { eventually } from "../../support/reminder/stack.ts";

const { stack, identity } = await useSite();
const { config, rest } = stack;
const serverUrl = `${config.baseUrl}/mcp`;

test("a personal token opens the service, until it is revoked", async () => {
  const token = await tokenByForm(await signedUp(identity.config), "Script");
  const status = async (method: string, body?: object) =>
    (await rest(method, "/todos", { token, ...(body && { body }) })).status;
  expect(await status("POST", { title: "Water the plants" })).toBe(201);
  const { jti } = await identity.introspect(token);
  await identity.sql(`delete from identity.grants where id = '${jti}'`);
  await eventually(async () => (await status("GET")) === 401);
});

test("what looks like a structured token, which the provider does not introspect, is refused", async () => {
  const odd = ['{"alg":"none"}', '{"sub":"ada"}'].map((part) => Buffer.from(part).toString("base64url"));
  expect((await rest("GET", "/todos", { token: `${odd.join(".")}.` })).status).toBe(401);
});

test("the service and the provider serve the same icon", async () => {
  const icons = [config.baseUrl, config.authUrl].map(async (site) => {
    const { status, headers } = await fetch(`${site}/favicon.svg`);
    return { status, policy: headers.get("content-security-policy"), type: headers.get("content-type") };
  });
  const [service, provider] = await Promise.all(icons);
  expect(service).toMatchObject({ status: 200, type: "image/svg+xml" });
  expect(provider).toEqual(service);
});

const clients = {
  "@modelcontextprotocol/client": present.auth,
  "@modelcontextprotocol/sdk": legacy.auth,
};

for (const [name, auth] of Object.entries(clients)) {
  test(`${name}, given only the address of /mcp, registers, signs in, may do what was ticked and steps up`, async () => {
    const browser = await signedUp(identity.config);
    const provider = oauthAgent(browser, [["todos:read"], ["todos:read", "todos:write"]]);
    const signIn = async (scope: string) => {
      expect(await auth(provider, { serverUrl, scope })).toBe("REDIRECT");
      const authorizationCode = provider.came().get("code") ?? "";
      const iss = provider.came().get("iss") ?? "";
      expect(await auth(provider, { serverUrl, authorizationCode, iss })).toBe("AUTHORIZED");
      const { access_token: token } = provider.tokens() as unknown as { access_token: string };
      return (method: string, body?: object) => rest(method, "/todos", { token, ...(body && { body }) });
    };

    // More is asked for than is ticked.
    const first = await signIn("todos:read todos:write");
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
