import { cutStored, keptOfRefused, keptOfRun } from "../../../shared/domain/cut-arguments.ts";
import type { Outcome, ToolCall } from "../../../shared/queue/batch.ts";
import { nearPresent } from "../../unit-of-work/trusted-time.ts";
import type { Context } from "../handler.ts";

/** What the row says of a call's end: `ok`, or the code of the refusal. */
export const outcomeCode = (outcome: Outcome): string => ("refusal" in outcome ? outcome.refusal.code : "ok");

type End = Readonly<{ outcome: string; replayed: boolean; calls?: number; durationMs?: number }>;

/** Writes the row of a tool call in the transaction of its effects. */
export function recordCall(
  { actions, now, at }: Context,
  call: ToolCall,
  { outcome, replayed, calls = 1, durationMs = Math.max(0, at - call.startedAt) }: End,
): void {
  actions.insert({
    request_id: call.requestId,
    token_id: call.tokenId,
    client_name: call.clientName,
    tool: call.tool,
    arguments: cutStored(call.arguments, outcome === "ok" ? keptOfRun : keptOfRefused),
    outcome,
    replayed,
    calls,
    called_at: nearPresent(call.startedAt, { now, at }),
    duration_ms: durationMs,
  });
}
