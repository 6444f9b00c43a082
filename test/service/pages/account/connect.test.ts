import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Stream } from "node:stream";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { connectGuides, tokenGuides } from "../../../../api/web/connect-guides.ts";
import { freePort } from "../../../harness.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { createBrowser } from "../../../support/identity/browser.ts";
import { consent, signedUp } from "../../../support/identity/support.ts";
import { callsOf, textOf } from "../../../support/pages/plain.ts";
import { signedUpPerson, startSite } from "../../../support/pages/support.ts";

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

test("the page has the lines for anybody, and a script alone would add what copies them", async () => {
  const page = await createBrowser(baseUrl).open("/account/connect");
  const tabs = [...page.text.matchAll(/href="([^"]+\?client=[^"]+)"/g)];
  const pages = await Promise.all(tabs.map(([, href = ""]) => createBrowser(baseUrl).open(href)));
  const lines = connectGuides(baseUrl).map((guide) => Bun.escapeHTML(guide.lines));
  expect(pages.map(({ text }) => /<code class="secret">([^<]*)</.exec(text)?.[1])).toEqual(lines);
  expect(page.text).not.toContain(">Copy");
  expect(page.headers.get("content-security-policy")).toContain("script-src 'self';");
});

test("without scripts the light of the page turns green at another look after a new client's first call", async () => {
  const { browser: account, newToken } = await signedUpPerson(site);
  const known = callsOf(site.stack, await newToken("Claude Desktop"));
  const fresh = callsOf(site.stack, await newToken("Cursor"));
  await known.call("get-pending-todos");
  const page = await account.open("/account/connect");
  const [, again = ""] = /href="([^"]+)"[^>]*>Look again/.exec(page.text) ?? [];
  for (const [app, said] of [
    [known, "Waiting for the first call"],
    [fresh, "Cursor made its first call"],
  ] as const) {
    await app.call("get-pending-todos");
    expect(textOf(await account.open(again.replaceAll("&amp;", "&")))).toContain(said);
  }
});

test("the lines for curl work when they are pasted with a token", async () => {
  const pasted = linesFor("curl and scripts").replace("…", site.identity.owner.token);
  const shell = Bun.spawn(["sh", "-ec", pasted.replaceAll("curl ", "curl -sS ")], { stderr: "inherit" });
  const output = await shell.stdout.text();
  expect(await shell.exited).toBe(0);
  expect(output).toContain('"pending_todos"');
  expect(output).toContain('"name":"complete-habit"');
});

const tokenLinesFor = (client: string) =>
  tokenGuides(baseUrl, site.identity.owner.token).find((guide) => guide.client === client)?.lines ?? "";
// This CLI signs in only on a terminal, here one that breaks no lines.
const onTerminal = (commands: string) => ["script", "-qec", `stty cols 2000; ${commands}`, "/dev/null"];
const programs = [
  {
    name: "claude",
    argv: onTerminal(`${linesFor("Claude Code")} && claude mcp login kept && claude mcp list | cat`),
    signsIn: "Waiting for authorization",
    shows: [`Added HTTP MCP server kept with URL: ${baseUrl}/mcp to user config`, /kept: .* Connected/],
  },
  {
    name: "codex",
    argv: ["sh", "-c", `${linesFor("Codex")} && codex mcp list`],
    signsIn: "Authorize",
    shows: [/^kept .* OAuth/m],
  },
  {
    name: "gemini",
    argv: ["sh", "-c", `${tokenLinesFor("Gemini CLI")} && gemini mcp list 2>&1`],
    signsIn: undefined,
    shows: [/kept: .* Connected/],
  },
];

for (const { name, argv, signsIn, shows } of programs)
  test.skipIf([name, argv[0] ?? ""].some((program) => Bun.which(program) === null))(
    `the lines for ${name} are taken by its CLI, which is connected`,
    async () => {
      const [program = "", ...args] = argv;
      const folder = temporaryFolder(name);
      const home = { HOME: folder, CODEX_HOME: folder, GEMINI_CLI_TRUST_WORKSPACE: "true" };
      const env = { PATH: process.env.PATH, BROWSER: "/bin/true", ...home };
      const shell = spawn(program, args, { cwd: folder, env, stdio: ["pipe", "pipe", "inherit"] });
      if (program === "sh") shell.stdin.end();
      const signingIn = signsIn && signInWhereTold(shell.stdout, signsIn);
      const output = await text(shell.stdout);
      await signingIn;
      for (const said of shows) expect(output).toMatch(said);
    },
    90_000,
  );

test("the lines for Claude Desktop make mcp-remote sign in and list the tools", async () => {
  const [[name, { args }]] = Object.entries(JSON.parse(linesFor("Claude Desktop")).mcpServers) as [
    [string, { args: string[] }],
  ];
  expect([name, ...args.slice(0, 2)]).toEqual(["kept", "-y", "mcp-remote"]);
  const script = join(import.meta.dir, "../../../../node_modules/mcp-remote/dist/proxy.js");
  const folder = temporaryFolder("mcp-remote");
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
