import { type CallToolResult, INVALID_PARAMS, ProtocolError } from "@modelcontextprotocol/server";
import type { Actor } from "../../shared/actor.ts";
import type { Fields } from "../../shared/contracts/validate.ts";
import { isRefused, type Refused, refuse } from "../../shared/errors.ts";
import type { Log } from "../../shared/process/log.ts";
import type { ToolCall } from "../../shared/queue/batch.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import { checkScopes, type PerformContext } from "../perform.ts";
import { readDaySettings } from "../queries/context.ts";
import { logCall } from "./log-call.ts";
import type { OverLimit } from "./over-limit.ts";
import { performCall } from "./perform-call.ts";
import { answered, refused } from "./result.ts";
import { type ToolEntry, tools } from "./tools.ts";

export type CallContext = PerformContext &
  Readonly<{ log: Log; toolRateLimit: RateLimit; overLimit: OverLimit }>;

/** One tool call, from its first check to its answer. */
export type Call = Readonly<{ actor: Actor; args: Fields; record: Omit<ToolCall, "arguments"> }>;

/** What needs no look at the arguments: the token's allowance of tool calls, the tool's name, the token's scopes. */
export async function admit(
  { toolRateLimit }: CallContext,
  { actor, record }: Call,
): Promise<ToolEntry | Refused> {
  const allowance = await toolRateLimit(actor.tokenId);
  if (allowance && !allowance.allowed) {
    const retryAfterSeconds = allowance.resetInSeconds;
    return refuse("rate_limited", "Too many tool calls.", { retryAfterSeconds });
  }
  const entry = tools.get(record.tool);
  return entry ? (checkScopes(entry.contract, actor) ?? entry) : unknownTool;
}

const unknownTool = refuse("not_found", `Unknown tool; the tools are ${[...tools.keys()].join(", ")}.`);

/**
 * Carries an admitted call out and answers it once its row in the action log is committed. When that cannot
 * be, the call is refused, and a read gives nothing away.
 */
export async function carryOut(context: CallContext, call: Call, entry: ToolEntry): Promise<CallToolResult> {
  try {
    const performed = await performCall(context, call, entry);
    if (isRefused(performed)) return await sayNo(context, call, performed);
    return answered(performed);
  } catch (error) {
    const reason = error instanceof Error ? error.stack : String(error);
    context.log.error({ tool: call.record.tool, reason }, "tool call failed");
    const applied = entry.contract.kind === "query" ? "no" : "unknown";
    const message = "The service is briefly unable to answer.";
    return refused({ code: "overloaded", message, applied, retryAfterSeconds: 1 }, undefined);
  }
}

/** Answers a call that was not admitted, once its row is committed. */
export async function turnAway(context: CallContext, call: Call, refusal: Refused): Promise<CallToolResult> {
  if (refusal.refusal.code === "rate_limited") {
    const counted = await context.overLimit.count(call);
    return refused((counted.refused ?? refusal).refusal, counted.today);
  }
  const unlogged = await logCall(context, call, refusal.refusal.code);
  if (!unlogged && refusal === unknownTool) throw new ProtocolError(INVALID_PARAMS, refusal.refusal.message);
  return sayNo(context, call, unlogged ?? refusal);
}

/** With the user's day, unless the database that knows it is what is missing. */
async function sayNo({ query }: CallContext, { actor }: Call, { refusal }: Refused): Promise<CallToolResult> {
  const clock = await readDaySettings(query(actor)).catch(() => undefined);
  return refused(refusal, clock?.today);
}
