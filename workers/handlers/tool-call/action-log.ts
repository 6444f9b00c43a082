import { cutStored, keptOfRefused, keptOfRun } from "../../../shared/domain/cut-arguments.ts";
import type { Outcome, ToolCall } from "../../../shared/queue/batch.ts";
import { trustedTime } from "../../unit-of-work/trusted-time.ts";
import type { HandlerContext } from "../handler.ts";

/** @returns how the row of a call says that it ended: `ok`, or the code of the refusal */
export const outcomeCode = (outcome: Outcome): string => ("refusal" in outcome ? outcome.refusal.code : "ok");

type CallEnd = Readonly<{ outcome: string; replayed: boolean; calls?: number; durationMs?: number }>;

/**
 * Writes the row of a tool call in the transaction of its effects. A plain insert is cheaper and refused if the row
 * stands; then the command is tried again as a repeat.
 */
export function recordCall(
  { actions, now, nowMs, isRepeat }: HandlerContext,
  call: ToolCall,
  { outcome, replayed, calls = 1, durationMs = Math.max(0, nowMs - call.startedAt) }: CallEnd,
): void {
  const write = isRepeat ? actions.upsert : actions.insert;
  write({
    request_id: call.requestId,
    token_id: call.tokenId,
    client_name: call.clientName,
    tool: call.tool,
    arguments: cutStored(call.arguments, outcome === "ok" ? keptOfRun : keptOfRefused),
    outcome,
    replayed,
    calls,
    called_at: trustedTime(call.startedAt, { now, nowMs }),
    duration_ms: durationMs,
  });
}
