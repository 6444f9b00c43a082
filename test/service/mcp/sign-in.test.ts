import { expect, test } from "bun:test";
import * as present from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { oauthAgent } from "../../support/identity/oauth-agent.ts";
import { officialClient } from "../../support/identity/official-client.ts";
import { signedUp } from "../../support/identity/support.ts";
import { useSite } from "../../support/pages/support.ts";

const { stack, identity } = await useSite();
const url = `${stack.config.baseUrl}/mcp`;

test.each([
  ["client 2.x", present, false],
  ["sdk 1.32", { Client, StreamableHTTPClientTransport }, true],
])(
  "%s, given only the address, signs in with one scope, is refused, steps up and goes on",
  async (_, library, isOld) => {
    const browser = await signedUp(identity.config);
    const memory = oauthAgent(browser, [["todos:read"], ["todos:read", "todos:write"]]);
    const agent = officialClient({ memory, url, library, isOld });
    await agent.signIn();
    const client = await agent.connect();
    const seen = await client.callTool({ name: "get-pending-todos", arguments: {} });
    expect(seen.structuredContent).toMatchObject({ todos: [] });
    const water = { name: "create-todo", arguments: { title: "Water" } };
    await expect(client.callTool(water)).rejects.toThrow();
    if (isOld) {
      // This library would only refresh the narrow token: the app puts it aside and signs in anew.
      memory.saveTokens(undefined);
      await agent.signIn();
    } else await agent.finish();
    const made = await (await agent.connect()).callTool(water);
    expect(made.structuredContent).toMatchObject({ todo: { title: "Water" } });
  },
);
