import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Stream } from "node:stream";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { connectGuides, tokenGuides } from "../../../../api/web/connect-guides.ts";
import { freePort } from "../../../harness.ts";
import { consent, signedUp } from "../../../support/identity/support.ts";
import { browserTest, signedInPerson, startSite } from "../../../support/pages/support.ts";

const port = freePort();
const site = await startSite({ PORT: String(port), BASE_URL: `http://localhost:${port}`, HOST: "" });
const { baseUrl, authUrl } = site.stack.config;
const linesFor = (client: string, base = baseUrl) =>
  connectGuides(base).find((guide) => guide.client === client)?.lines ?? "";

test("docs/connect.md and the page give the same lines for the same clients", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../../../docs/connect.md")).text();
  const sections = page.split(/^## /m).slice(1);
  const documented = sections.map((section) => ({
    client: section.split("\n")[0]?.replace(/ \(not tried\)$/, ""),
    lines: [...section.matchAll(/```\w*\n([\s\S]*?)\n```/g)].map(([, lines]) => lines).join("\n"),
  }));
  const guides = connectGuides("http://localhost:3000");
  expect(documented).toEqual(guides.map(({ client, lines }) => ({ client, lines })));
  const readme = await Bun.file(join(import.meta.dir, "../../../../README.md")).text();
  expect(readme).toContain(guides.find(({ client }) => client === "Claude Code")?.lines ?? "none");
});

browserTest("without scripts the lines are there for anybody, and one click selects them", async () => {
  const page = await site.open({ javaScriptEnabled: false });
  await page.goto(`${baseUrl}/account/connect`);
  const shown = await page.locator("pre.lines").allTextContents();
  expect(shown).toEqual(connectGuides(baseUrl).map(({ lines }) => lines));
  expect(await page.getByRole("button", { name: /^Copy/ }).count()).toBe(0);
  const style = await page.locator("pre.lines code").first().getAttribute("class");
  expect(style).toBe("secret");
});

browserTest("with scripts a button copies the lines, and no other script could run", async () => {
  const { page } = await signedInPerson(site, { permissions: ["clipboard-read", "clipboard-write"] });
  const violations: string[] = [];
  page.on("console", (message) => violations.push(message.text()));
  const answer = await page.goto(`${baseUrl}/account/connect`);
  expect(answer?.headers()["content-security-policy"]).toContain("script-src 'self';");
  for (const { client, lines } of connectGuides(baseUrl)) {
    await page.getByRole("button", { name: `Copy the lines for ${client}` }).click();
    await page.getByText(`Copied: the lines for ${client}`).waitFor({ state: "attached" });
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(lines);
  }
  expect(violations).toEqual([]);
});

test("the lines for curl work when they are pasted with a token", async () => {
  const pasted = linesFor("curl and scripts").replace("…", site.identity.owner.token);
  const shell = Bun.spawn(["sh", "-ec", pasted.replaceAll("curl ", "curl -sS ")], { stderr: "inherit" });
  const output = await shell.stdout.text();
  expect(await shell.exited).toBe(0);
  expect(output).toContain('"pending_todos"');
  expect(output).toContain('"name":"complete-habit"');
});

const canRunClaude = Bun.which("claude") !== null && Bun.which("script") !== null;
test.skipIf(!canRunClaude)(
  "the line for Claude Code is taken by its CLI, which signs in and is connected",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "kept-claude-code-"));
    const commands = `${linesFor("Claude Code")} && claude mcp login kept && claude mcp list | cat`;
    // Codex signs in only on a terminal, here one that breaks no lines.
    const terminal = ["-qec", `stty cols 2000; ${commands}`, "/dev/null"];
    const env = { PATH: process.env.PATH, HOME: folder, BROWSER: "/bin/true" };
    const shell = spawn("script", terminal, { cwd: folder, env, stdio: ["pipe", "pipe", "inherit"] });
    const signingIn = signInWhereTold(shell.stdout, "Waiting for authorization");
    const output = await text(shell.stdout);
    await signingIn;
    expect(output).toContain(`Added HTTP MCP server kept with URL: ${baseUrl}/mcp to user config`);
    expect(output).toMatch(/kept: .* Connected/);
  },
  90_000,
);

test.skipIf(Bun.which("codex") === null)(
  "the line for Codex is taken by its CLI, which signs in",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "kept-codex-"));
    const env = { PATH: process.env.PATH, HOME: folder, CODEX_HOME: folder, BROWSER: "/bin/true" };
    const commands = `${linesFor("Codex")} && codex mcp list`;
    const shell = spawn("sh", ["-c", commands], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
    const signingIn = signInWhereTold(shell.stdout, "Authorize");
    const output = await text(shell.stdout);
    await signingIn;
    expect(output).toMatch(/^kept .* OAuth/m);
  },
  90_000,
);

const tokenLinesFor = (client: string) =>
  tokenGuides(baseUrl, site.identity.owner.token).find((guide) => guide.client === client)?.lines ?? "";

test.skipIf(Bun.which("gemini") === null)(
  "the line for Gemini CLI with a token is taken by its CLI, which is connected",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "kept-gemini-"));
    const env = { PATH: process.env.PATH, HOME: folder, GEMINI_CLI_TRUST_WORKSPACE: "true" };
    const commands = `${tokenLinesFor("Gemini CLI")} && gemini mcp list 2>&1`;
    const shell = spawn("sh", ["-c", commands], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
    expect(await text(shell.stdout)).toMatch(/kept: .* Connected/);
  },
  90_000,
);

test("the lines for Claude Desktop make mcp-remote sign in and list the tools", async () => {
  const [[name, { args }]] = Object.entries(JSON.parse(linesFor("Claude Desktop")).mcpServers) as [
    [string, { args: string[] }],
  ];
  expect([name, ...args.slice(0, 2)]).toEqual(["kept", "-y", "mcp-remote"]);
  const script = join(import.meta.dir, "../../../../node_modules/mcp-remote/dist/proxy.js");
  const folder = mkdtempSync(join(tmpdir(), "kept-mcp-remote-"));
  const transport = new StdioClientTransport({
    command: Bun.which("node") ?? process.execPath,
    // The port that it derives from the address can be taken by another test.
    args: [script, ...args.slice(2), String(freePort())],
    // Without a PATH the program finds no browser to open, and prints the address of the sign-in.
    env: { PATH: "/nowhere", HOME: folder, MCP_REMOTE_CONFIG_DIR: folder },
    stderr: "pipe",
  });
  const signingIn = signInWhereTold(transport.stderr, "OAuth callback server running");
  const client = new Client({ name: "Claude Desktop", version: "1" });
  await client.connect(transport);
  await signingIn;
  const { tools } = await client.listTools();
  expect(tools.map((tool) => tool.name)).toContain("complete-habit");
  await client.close();
}, 60_000);

/** Reads the address from a program's output, and does what its person does there in a browser. */
async function signInWhereTold(said: Stream | null, whenReady: string): Promise<void> {
  const person = await signedUp(site.identity.config);
  const address = await new Promise<string>((resolve) => {
    let all = "";
    said?.on("data", (chunk) => {
      all += chunk;
      const [told] = new RegExp(`${authUrl}/authorize\\?[\\w%=&.+-]+(?=[^\\w%=&.+-])`).exec(all) ?? [];
      if (told !== undefined && all.includes(whenReady)) resolve(told);
    });
  });
  const back = await consent(person, await person.open(address));
  expect((await fetch(back.url)).status).toBe(200);
}
