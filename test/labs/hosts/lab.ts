import { chmod } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { $ } from "bun";
import type { Browser } from "../../support/identity/browser.ts";
import { consent } from "../../support/identity/support.ts";

/** An app as people connect it, given only the address. `note` says what it is not asked here. */
export type Host = Readonly<{
  name: string;
  note?: string;
  signIn(): Promise<unknown>;
  /** Starts the app anew. */
  connect(): Promise<App>;
}>;

type App = Readonly<{
  tools(): Promise<readonly unknown[]>;
  call(tool: string, args: object): Promise<unknown>;
  close(): unknown;
}>;

/** An official client as an app. */
export const appOf = (client: Client): App => ({
  tools: async () => (await client.listTools()).tools,
  call: (tool, args) => client.callTool({ name: tool, arguments: { ...args } }),
  close: () => client.close(),
});

/** The published packages, under names of their own where several versions are tried. */
const dependencies = {
  "sdk-old": "npm:@modelcontextprotocol/sdk@1.11.0",
  sdk: "npm:@modelcontextprotocol/sdk@1.32.2",
  client: "npm:@modelcontextprotocol/client@2.4.0",
  "mcp-remote": "0.15.1",
  "remote-old": "npm:mcp-remote@0.1.16",
  "remote-openid": "npm:mcp-remote@0.1.22",
  "@modelcontextprotocol/inspector": "2.12.0",
  "@anthropic-ai/claude-code": "2.1.332",
  "@openai/codex": "0.171.0",
  "@google/gemini-cli-core": "0.61.0",
  ai: "7.0.173",
  "@ai-sdk/mcp": "2.0.99",
  "@ai-sdk/google": "4.0.121",
  "@langchain/mcp-adapters": "1.1.4",
  "@langchain/google-genai": "2.3.2",
};

export type Lab = Awaited<ReturnType<typeof openLab>>;

/** Installs the apps, and a browser for programs: whoever sits there allows all that is asked. */
export async function openLab(folder: string, browser: Browser, baseUrl: string) {
  await Bun.write(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  await $`npm install --no-audit --no-fund --loglevel=error`.cwd(folder);
  const seen = { visits: 0 };

  /** @returns the address that leads back to the app */
  async function visit(address: string): Promise<string> {
    seen.visits++;
    return (await consent(browser, await browser.open(address))).url;
  }

  const server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    fetch: async (request) => fetch(await visit(await request.text())),
  });
  const opener = join(folder, "bin/xdg-open");
  const send = `await fetch("${server.url}", { method: "POST", body: process.argv.at(-1) })`;
  await Bun.write(opener, `#!/bin/sh\nexec '${process.execPath}' -e '${send}' "$1"\n`);
  await chmod(opener, 0o755);
  return {
    ...{ folder, seen, visit, url: `${baseUrl}/mcp`, stop: () => server.stop(true) },
    /** A file of an installed package. */
    at: (path: string) => join(folder, "node_modules", path),
    /** The environment of a program with a home of its own, where nobody has an account with its vendor. */
    env: (home: string) => ({
      PATH: `${join(folder, "bin")}:${Bun.env.PATH}`,
      HOME: join(folder, home),
      BROWSER: opener,
      ANTHROPIC_API_KEY: "none",
      MCP_AUTO_OPEN_ENABLED: "true",
      MCP_INSPECTOR_SECRET_STORE: "file",
    }),
  };
}
