import type { Reply, ToolCall } from "../shared/queue/envelope.ts";
import type { Context } from "./handler.ts";

/** Writes the row of a tool call in the transaction of its effects. */
export function recordCall({ actions }: Context, call: ToolCall, { outcome, replayed }: Reply): void {
  actions.insert({
    request_id: call.requestId,
    token_id: call.tokenId,
    client_name: call.clientName,
    tool: call.tool,
    arguments: call.arguments,
    outcome: "refusal" in outcome ? outcome.refusal.code : "ok",
    replayed,
    called_at: new Date(call.startedAt).toISOString(),
    duration_ms: Math.max(0, Date.now() - call.startedAt),
  });
}
