import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { $ } from "bun";
import { freePort, type JsonBody } from "../../harness.ts";
import { wordsIn } from "../../support/text-table.ts";
import { appOf, type Host, type Lab } from "./lab.ts";

/** Programs as people install them. */
export const programs = (lab: Lab): Host[] => [
  remote(lab, "mcp-remote 0.15.1", "mcp-remote"),
  remote(lab, "mcp-remote 0.1.16, names no resource", "remote-old"),
  remote(lab, "mcp-remote 0.1.22, asks for openid", "remote-openid"),
  inspector(lab),
  claudeCode(lab),
  codex(lab),
  geminiCli(lab),
];

function remote(lab: Lab, name: string, path: string): Host {
  const args = [lab.at(`${path}/dist/proxy.js`), lab.url, String(freePort())];
  async function connect() {
    const client = new Client({ name: "lab", version: "1" });
    await client.connect(
      new StdioClientTransport({ command: "node", args, env: lab.env(path), stderr: "ignore" }),
    );
    return appOf(client);
  }
  return { name, connect, signIn: async () => (await connect()).close() };
}

function inspector(lab: Lab): Host {
  const run = (...args: string[]) =>
    $`${lab.at(".bin/mcp-inspector")} --cli ${lab.url} --transport http --format json ${args}`
      .env(lab.env("inspector"))
      .json();
  const tools = async () => (await run("--method", "tools/list")).result.tools;
  const call = (tool: string, args: object) =>
    run("--method", "tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(args));
  return { name: "MCP Inspector 2.12.0", signIn: tools, connect: async () => ({ tools, call, close() {} }) };
}

/** Starts a program that talks in lines of JSON, and whose answers have the id of the question. */
function converse(program: string, args: string[], env: Record<string, string>) {
  const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "ignore"] });
  const lines = createInterface({ input: child.stdout });
  return {
    async ask(message: (id: string) => object): Promise<JsonBody> {
      const id = crypto.randomUUID();
      const { promise, resolve } = Promise.withResolvers<JsonBody>();
      const look = (line: string) => line.includes(id) && resolve(JSON.parse(line));
      lines.on("line", look);
      child.stdin.write(`${JSON.stringify(message(id))}\n`);
      return promise.finally(() => lines.off("line", look));
    },
    close: () => child.kill(),
  };
}

function claudeCode(lab: Lab): Host {
  const program = lab.at(".bin/claude");
  const env = lab.env("claude");
  const options = wordsIn("-p --input-format stream-json --output-format stream-json --verbose");
  return {
    name: "Claude Code 2.1.332",
    note: "called by its control protocol; its model needs an account",
    async signIn() {
      await $`${program} mcp add --scope user --transport http kept ${lab.url}`.env(env).quiet();
      await $`script -qec ${`${program} mcp login kept`} /dev/null < /dev/null`.env(env).quiet();
    },
    async connect() {
      const { ask, close } = converse(program, options, env);
      const control = async (request: object): Promise<JsonBody> =>
        (await ask((request_id) => ({ type: "control_request", request_id, request }))).response.response;
      const status = async () => (await control({ subtype: "mcp_status" })).mcpServers[0];
      await control({ subtype: "initialize" });
      while ((await status()).status === "pending") await Bun.sleep(200);
      return {
        tools: async () => (await status()).tools,
        call: (tool, args) => control({ subtype: "mcp_call", tool: `mcp__kept__${tool}`, arguments: args }),
        close,
      };
    },
  };
}

function codex(lab: Lab): Host {
  const program = lab.at(".bin/codex");
  const env = lab.env("codex");
  return {
    name: "Codex 0.171.0",
    note: "called by its app server; its model needs an account",
    async signIn() {
      await $`mkdir -p ${env.HOME}`;
      await $`${program} mcp add kept --url ${lab.url} < /dev/null`.env(env).quiet();
    },
    async connect() {
      const { ask, close } = converse(program, ["app-server"], env);
      const request = async (method: string, params: object): Promise<JsonBody> =>
        (await ask((id) => ({ id, method, params }))).result;
      const clientInfo = { name: "lab", title: null, version: "1" };
      await request("initialize", { clientInfo, capabilities: { experimentalApi: true } });
      const threadId = (await request("thread/start", {})).thread.id;
      return {
        tools: async () => Object.keys((await request("mcpServerStatus/list", {})).data[0].tools),
        call: (tool, args) =>
          request("mcpServer/tool/call", { threadId, server: "kept", tool, arguments: args }),
        close,
      };
    },
  };
}

function geminiCli(lab: Lab): Host {
  const script = join(lab.folder, "gemini.mjs");
  const run = (...args: string[]) =>
    $`echo y | node ${script} ${lab.url} ${args}`.env(lab.env("gemini")).quiet().text();
  const tools = async () => JSON.parse((await run("tools")).split("\n").at(-2) ?? "");
  const call = (tool: string, args: object) => run("call", tool, JSON.stringify(args));
  return {
    name: "Gemini CLI 0.61.0",
    note: "its core; its model needs an account",
    async signIn() {
      await Bun.write(script, Bun.file(join(import.meta.dir, "gemini.mjs")));
      await run("login");
    },
    connect: async () => ({ tools, call, close() {} }),
  };
}
