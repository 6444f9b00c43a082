import { expect, test } from "bun:test";
import * as present from "@modelcontextprotocol/client";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { oauthAgent } from "../../support/identity/oauth-agent.ts";
import { signedUp } from "../../support/identity/support.ts";
import { useSite } from "../../support/pages/support.ts";

const { stack, identity } = await useSite();
const url = new URL(`${stack.config.baseUrl}/mcp`);

type Memory = ReturnType<typeof oauthAgent>;
type Agent = {
  connect(): Promise<void>;
  call(name: string, args: Record<string, unknown>): Promise<{ structuredContent?: unknown }>;
  /** Finishes the app's sign-in after the browser has come back. */
  finish(): Promise<void>;
  /** Requests more scopes after a refused call. */
  stepUp(): Promise<void>;
};

function presentAgent(memory: Memory): Agent {
  const client = new present.Client(
    { name: "agent", version: "1" },
    { versionNegotiation: { mode: "auto" } },
  );
  const options = { authProvider: memory as never };
  let transport = new present.StreamableHTTPClientTransport(url, options);
  const finish = () => transport.finishAuth(memory.came());
  return {
    async connect() {
      transport = new present.StreamableHTTPClientTransport(url, options);
      await client.connect(transport);
    },
    call: (name, args) => client.callTool({ name, arguments: args }),
    finish,
    stepUp: finish,
  };
}

function legacyAgent(memory: Memory): Agent {
  const client = new LegacyClient({ name: "agent", version: "1" });
  const options = { authProvider: memory as never };
  let transport = new LegacyTransport(url, options);
  const finish = () => transport.finishAuth(memory.came().get("code") ?? "");
  async function connect() {
    transport = new LegacyTransport(url, options);
    await client.connect(transport as never);
  }
  return {
    connect,
    call: (name, args) => client.callTool({ name, arguments: args }) as Promise<object>,
    finish,
    /** This library would only refresh the narrow token: the app puts it aside and signs in anew. */
    async stepUp() {
      memory.saveTokens(undefined);
      await client.close();
      await expect(connect()).rejects.toThrow();
      await finish();
      await connect();
    },
  };
}

test.each([
  ["client 2.x", presentAgent],
  ["sdk 1.32", legacyAgent],
])(
  "%s, given only the address, signs in with one scope, is refused, steps up and goes on",
  async (_, create) => {
    const browser = await signedUp(identity.config);
    const memory = oauthAgent(browser, [["todos:read"], ["todos:read", "todos:write"]]);
    const agent = create(memory);
    await expect(agent.connect()).rejects.toThrow();
    await agent.finish();
    await agent.connect();
    const seen = await agent.call("get-pending-todos", {});
    expect(seen.structuredContent).toMatchObject({ todos: [] });
    await expect(agent.call("create-todo", { title: "Water" })).rejects.toThrow();
    await agent.stepUp();
    const made = await agent.call("create-todo", { title: "Water" });
    expect(made.structuredContent).toMatchObject({ todo: { title: "Water" } });
  },
);
