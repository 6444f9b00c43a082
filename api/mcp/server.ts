import { type CallToolResult, INVALID_PARAMS, ProtocolError, Server } from "@modelcontextprotocol/server";
import { version } from "../../shared/process/version.ts";
import { toolList } from "./tools.ts";

/** Revisions before 2026-07-28 that are negotiated by initialize; the present one needs no negotiation. */
const handshakeRevisions = ["2025-11-25", "2025-06-18", "2025-03-26"];

const instructions = [
  "Habits and todos of the person whose token this is.",
  "Give every write an idempotency_key of your own and repeat it when you retry: its effect then happens once.",
  "A bad habit is completed by having avoided it today.",
].join(" ");

const hourMs = 3_600_000;

/**
 * A server for one message: nothing is kept between requests, so any front door can answer any of them.
 * @param callTool carries out the tool call that the message is
 */
export function createServer(callTool: (() => Promise<CallToolResult>) | undefined): Server {
  const server = new Server(
    { name: "kept", title: "Kept", version },
    {
      capabilities: { tools: {} },
      instructions,
      supportedProtocolVersions: handshakeRevisions,
      cacheHints: { "tools/list": { ttlMs: hourMs, cacheScope: "public" } },
    },
  );
  server.setRequestHandler("tools/list", () => ({ tools: toolList }));
  server.setRequestHandler("tools/call", () => {
    if (!callTool) throw new ProtocolError(INVALID_PARAMS, "A tool call names its tool and its arguments.");
    return callTool();
  });
  return server;
}
