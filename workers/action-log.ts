import type { Outcome, ToolCall } from "../shared/queue/envelope.ts";
import type { Context } from "./handler.ts";

/** What the row says of a call's end: `ok`, or the code of the refusal. */
export const outcomeCode = (outcome: Outcome): string => ("refusal" in outcome ? outcome.refusal.code : "ok");

/** Writes the row of a tool call in the transaction of its effects. */
export function recordCall(
  { actions }: Context,
  call: ToolCall,
  { outcome, replayed }: { outcome: string; replayed: boolean },
): void {
  actions.insert({
    request_id: call.requestId,
    token_id: call.tokenId,
    client_name: call.clientName,
    tool: call.tool,
    arguments: call.arguments,
    outcome,
    replayed,
    called_at: new Date(call.startedAt).toISOString(),
    duration_ms: Math.max(0, Date.now() - call.startedAt),
  });
}
