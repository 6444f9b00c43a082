import { agentOf } from "../../support/identity/oauth-agent.ts";
import { officialClient } from "../../support/identity/official-client.ts";
import { answerAsGemini } from "./gemini.ts";
import { appOf, type Host, type Lab } from "./lab.ts";

/** Libraries in this process, as those who build an agent use them. */
export const libraries = (lab: Lab): Host[] => [
  official(lab, "sdk 1.11.0, of the revision 2025-03-26", ...oldModules("sdk-old")),
  official(lab, "sdk 1.32.2", ...oldModules("sdk")),
  official(lab, "client 2.4.0", "client/dist/index.mjs"),
  aiSdk(lab),
  langChain(lab),
];

const oldModules = (name: string) =>
  ["index.js", "streamableHttp.js"].map((file) => `${name}/dist/esm/client/${file}`);

/** An app's memory of its sign-in. */
const memoryOf = (lab: Lab) => agentOf(async ({ href }) => ({ url: await lab.visit(href) }));

function official(lab: Lab, name: string, ...modules: string[]): Host {
  const memory = memoryOf(lab);
  async function client() {
    const [main, transport = main] = await Promise.all(modules.map((module) => import(lab.at(module))));
    const { StreamableHTTPClientTransport } = transport;
    const library = { Client: main.Client, StreamableHTTPClientTransport };
    return officialClient({ memory, url: lab.url, library, isOld: main !== transport });
  }
  return {
    name,
    signIn: async () => (await client()).signIn(),
    connect: async () => appOf(await (await client()).connect()),
  };
}

/** A library whose sign-in the caller finishes after the first attempt to connect. */
const played = (name: string, connect: Host["connect"], finish: () => Promise<void>): Host => ({
  ...{ name, connect, note: "the lab plays its model" },
  signIn: () => connect().catch(finish),
});

function aiSdk(lab: Lab): Host {
  const memory = memoryOf(lab);
  async function connect() {
    const { createMCPClient } = await import(lab.at("@ai-sdk/mcp/dist/index.js"));
    const { generateText, stepCountIs } = await import(lab.at("ai/dist/index.js"));
    const { createGoogleGenerativeAI } = await import(lab.at("@ai-sdk/google/dist/index.js"));
    const transport = { type: "http", url: lab.url, authProvider: memory };
    const client = await createMCPClient({ transport });
    return {
      tools: async () => Object.keys(await client.tools()),
      async call(tool: string, args: object) {
        using gemini = answerAsGemini(tool, args);
        const model = createGoogleGenerativeAI({ apiKey: "none", baseURL: gemini.url })("gemini-2.5-flash");
        const stopWhen = stepCountIs(2);
        await generateText({ model, tools: await client.tools(), prompt: tool, stopWhen });
        return gemini.told();
      },
      close: () => client.close(),
    };
  }
  return played("AI SDK 7.0.173, Google's converter", connect, async () => {
    const { auth } = await import(lab.at("@ai-sdk/mcp/dist/index.js"));
    const { code, state, iss } = Object.fromEntries(memory.came());
    await auth(memory, { serverUrl: lab.url, authorizationCode: code, callbackState: state, iss });
  });
}

function langChain(lab: Lab): Host {
  const memory = memoryOf(lab);
  async function connect() {
    const { MultiServerMCPClient } = await import(lab.at("@langchain/mcp-adapters/dist/index.js"));
    const { ChatGoogleGenerativeAI } = await import(lab.at("@langchain/google-genai/dist/index.js"));
    const kept = { transport: "http", url: lab.url, authProvider: memory };
    const client = new MultiServerMCPClient({ mcpServers: { kept } });
    const tools = await client.getTools();
    return {
      tools: async () => tools,
      async call(tool: string, args: object) {
        using gemini = answerAsGemini(tool, args);
        const model = { apiKey: "none", model: "gemini-2.5-flash", baseUrl: gemini.url };
        const said = await new ChatGoogleGenerativeAI(model).bindTools(tools).invoke(tool);
        const [call] = said.tool_calls;
        return tools.find(({ name }: { name: string }) => name === call.name).invoke(call);
      },
      close: () => client.close(),
    };
  }
  return played("LangChain 1.1.4, Google's converter", connect, async () => {
    const { auth } = await import(lab.at("sdk/dist/esm/client/auth.js"));
    await auth(memory, { serverUrl: lab.url, authorizationCode: memory.came().get("code") });
  });
}
