import { type Html, html } from "../../shared/html.ts";

/** Instructions for one kind of client: the text above its lines, and the lines to copy. */
export type Guide = Readonly<{ client: string; text: Html; lines: string }>;

const locations = {
  claudeDesktop: html`Settings, Developer, Edit Config: put this into <code>claude_desktop_config.json</code> and start
    Claude Desktop again. It needs Node.`,
  cursor: html`In <code>~/.cursor/mcp.json</code>, or in <code>.cursor/mcp.json</code> of a project.`,
  vsCode: html`“MCP: Open User Configuration” in the command palette, or <code>.vscode/mcp.json</code> of a project.`,
  codex: html`In <code>~/.codex/config.toml</code>, which Codex in the editor reads as well.`,
};

/** The guides of the page and of docs/connect.md, with this server's addresses. */
export function connectGuides(baseUrl: string): readonly Guide[] {
  const url = `${baseUrl}/mcp`;
  return [
    {
      client: "Claude Code",
      text: html`In a terminal. Then <code>claude mcp login kept</code>, or <code>/mcp</code> in a session, leads
        through the sign-in.`,
      lines: claudeCodeLine(url),
    },
    {
      client: "Claude Desktop",
      text: html`${locations.claudeDesktop} What is added under Connectors instead is called from Anthropic’s
        computers, so it needs a public https address.`,
      lines: json({ mcpServers: { kept: { command: "npx", args: mcpRemoteArguments(url) } } }),
    },
    { client: "Cursor", text: locations.cursor, lines: json({ mcpServers: { kept: { url } } }) },
    { client: "VS Code", text: locations.vsCode, lines: json({ servers: { kept: { type: "http", url } } }) },
    {
      client: "Codex",
      text: html`In a terminal. It signs in at once; later, <code>codex mcp login kept</code> does so again.`,
      lines: `codex mcp add kept --url ${url}`,
    },
    {
      client: "Gemini CLI",
      text: html`In a terminal. Then <code>/mcp auth kept</code> in a session leads through the sign-in.`,
      lines: geminiLine(url),
    },
    {
      client: "Any other MCP client",
      text: html`The address is enough where the client speaks Streamable HTTP: it finds the sign-in by itself (RFC 9728),
        registers (RFC 7591) and asks you what it may do. Clients that only start programs use mcp-remote, as Claude
        Desktop does.`,
      lines: url,
    },
    {
      client: "curl and scripts",
      text: html`REST and MCP take a token as well. Put yours in place of the dots.`,
      lines: curlLines(baseUrl, "…"),
    },
  ];
}

/** The ways to make an app forget a server, for a registration that the server no longer has. */
export const forgetting: readonly Pick<Guide, "client" | "text">[] = [
  { client: "Claude Code", text: html`<code>/mcp</code> in a session, “kept”, “Clear authentication”.` },
  { client: "Codex", text: html`<code>codex mcp logout kept</code>.` },
  { client: "Gemini CLI", text: html`remove “kept” from <code>~/.gemini/mcp-oauth-tokens.json</code>.` },
  { client: "VS Code", text: html`“Authentication: Remove Dynamic Authentication Providers”.` },
  { client: "Claude Desktop and mcp-remote", text: html`delete the folder <code>~/.mcp-auth</code>.` },
  { client: "Cursor and others", text: html`remove the server from the app, and add it again.` },
];

/** The same guides for a person with a token, whose client needs no sign-in. */
export function tokenGuides(baseUrl: string, token: string): readonly Guide[] {
  const url = `${baseUrl}/mcp`;
  const headers = { Authorization: `Bearer ${token}` };
  // Some clients split arguments at spaces, so the value with a space is a variable.
  const args = [...mcpRemoteArguments(url), "--header", "Authorization:$" + "{KEPT_AUTHORIZATION}"];
  const env = { KEPT_AUTHORIZATION: headers.Authorization };
  return [
    { client: "curl and scripts", text: html`In a terminal.`, lines: curlLines(baseUrl, token) },
    {
      client: "Claude Code",
      text: html`In a terminal.`,
      lines: `${claudeCodeLine(url)} --header "Authorization: ${headers.Authorization}"`,
    },
    {
      client: "Claude Desktop",
      text: locations.claudeDesktop,
      lines: json({ mcpServers: { kept: { command: "npx", args, env } } }),
    },
    { client: "Cursor", text: locations.cursor, lines: json({ mcpServers: { kept: { url, headers } } }) },
    {
      client: "VS Code",
      text: locations.vsCode,
      lines: json({ servers: { kept: { type: "http", url, headers } } }),
    },
    {
      client: "Codex",
      text: locations.codex,
      lines: `[mcp_servers.kept]\nurl = "${url}"\nhttp_headers = { Authorization = "${headers.Authorization}" }`,
    },
    {
      client: "Gemini CLI",
      text: html`In a terminal.`,
      lines: `${geminiLine(url)} --header "Authorization: ${headers.Authorization}"`,
    },
  ];
}

const claudeCodeLine = (url: string): string => `claude mcp add --scope user --transport http kept ${url}`;

const geminiLine = (url: string): string => `gemini mcp add --scope user --transport http kept ${url}`;

const curlLines = (baseUrl: string, token: string): string =>
  [
    `KEPT_TOKEN=${token}`,
    `curl -H "Authorization: Bearer $KEPT_TOKEN" ${baseUrl}/api/v1/dashboard`,
    `curl -H "Authorization: Bearer $KEPT_TOKEN" -H "Content-Type: application/json" ${baseUrl}/mcp -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'`,
  ].join("\n");

/** mcp-remote refuses addresses without TLS, except on this computer, unless a flag allows them. */
function mcpRemoteArguments(url: string): string[] {
  const { protocol, hostname } = new URL(url);
  const isSafe = protocol === "https:" || hostname === "localhost" || hostname === "127.0.0.1";
  return ["-y", "mcp-remote", url, ...(isSafe ? [] : ["--allow-http"])];
}

const json = (value: object): string => JSON.stringify(value, null, 2);

/** The lines of a guide in a block; a script adds a button that copies them. */
export const guideLines = ({ client, lines }: Pick<Guide, "client" | "lines">): Html =>
  html`<pre class="lines" data-name="${client}"><code class="secret">${lines}</code></pre>`;
