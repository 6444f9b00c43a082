// The core of Gemini CLI as its commands use it: `/mcp auth`, `/mcp list`, and a call that the model would make.
import { MCPOAuthProvider } from "@google/gemini-cli-core";
import { connectToMcpServer } from "@google/gemini-cli-core/dist/src/tools/mcp-client.js";

const [url, what, tool, args] = process.argv.slice(2);
if (what === "login") {
  await new MCPOAuthProvider().authenticate("kept", { enabled: true }, url);
  process.exit();
}
const workspace = { getDirectories: () => [], onDirectoriesChanged: () => () => {} };
const context = {
  sanitizationConfig: { allowedEnvironmentVariables: [], blockedEnvironmentVariables: [] },
  emitMcpDiagnostic: (...said) => console.error(...said),
  isTrustedFolder: () => true,
};
const client = await connectToMcpServer("0.61.0", "kept", { httpUrl: url }, false, workspace, context);
const answer =
  what === "tools"
    ? (await client.listTools()).tools.map(({ name }) => name)
    : await client.callTool({ name: tool, arguments: JSON.parse(args) });
console.log(JSON.stringify(answer));
process.exit();
