import { type CallToolResult, INVALID_PARAMS, ProtocolError } from "@modelcontextprotocol/server";
import type { Actor } from "../../shared/actor.ts";
import type { Fields } from "../../shared/contracts/validate.ts";
import type { Today } from "../../shared/db/present.ts";
import { isRefused, type Refusal, type Refused, refuse } from "../../shared/errors.ts";
import type { Log } from "../../shared/log.ts";
import type { ToolCall } from "../../shared/queue/envelope.ts";
import { checkScopes, type PerformContext, type Performed, perform } from "../perform.ts";
import type { RateLimit } from "../rate-limit.ts";
import { clockOf } from "../read/reader.ts";
import { readArguments } from "./arguments.ts";
import { logCall } from "./log-call.ts";
import { answered, refused } from "./result.ts";
import { type ToolEntry, tools } from "./tools.ts";

export type CallContext = PerformContext & Readonly<{ log: Log; toolRateLimit: RateLimit }>;

/** One tool call, from its first check to its answer; no entry: there is no such tool. */
export type Call = Readonly<{
  actor: Actor;
  entry: ToolEntry | undefined;
  args: Fields;
  record: ToolCall;
}>;

/** What needs no look at the arguments: the token's allowance of tool calls, then its scopes. */
export async function admit(context: CallContext, { actor, entry }: Call): Promise<Refused | undefined> {
  const allowance = await context.toolRateLimit(actor.tokenId);
  if (allowance && !allowance.allowed) {
    const retryAfterSeconds = allowance.resetInSeconds;
    return refuse("rate_limited", "Too many tool calls.", { retryAfterSeconds });
  }
  return entry && checkScopes(entry.contract, actor);
}

/**
 * Carries an admitted call out and answers it once its row in the action log is committed. When that cannot
 * be, the call is refused, and a read gives nothing away.
 * @param refusal why the call was not admitted
 */
export async function carryOut(
  context: CallContext,
  call: Call,
  refusal: Refused | undefined,
): Promise<CallToolResult> {
  let today: Today | undefined;
  try {
    today = (await clockOf(context.reader(call.actor))).today;
    const performed = refusal ? await refuseCall(context, call, refusal) : await performCall(context, call);
    return present(call, performed, today);
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const reason = error instanceof Error ? error.stack : String(error);
    context.log.error({ tool: call.record.tool, reason }, "tool call failed");
    const mayHaveChanged = today && call.entry?.contract.kind === "command";
    return refused(unavailable(mayHaveChanged ? "unknown" : "no"), today);
  }
}

const unavailable = (applied: "no" | "unknown"): Refusal => ({
  code: "overloaded",
  message: "The service is briefly unable to answer.",
  applied,
  retryAfterSeconds: 1,
});

async function performCall(context: CallContext, call: Call): Promise<Performed> {
  const { actor, entry, args, record } = call;
  if (!entry) return refuseCall(context, call, unknownTool);
  const input = readArguments(entry, args);
  if (isRefused(input)) return refuseCall(context, call, input);
  const { fields, idempotencyKey } = input;
  if (entry.contract.kind === "command") {
    const performed = await perform(context, entry.contract, actor, fields, { idempotencyKey, call: record });
    return isFault(performed) ? refuseCall(context, call, performed.outcome) : performed;
  }
  const [performed, logged] = await Promise.all([
    perform(context, entry.contract, actor, fields),
    logCall(context, call, "ok"),
  ]);
  return logged ? { outcome: logged, replayed: false } : performed;
}

/** A command that failed left no row; every other outcome has its row in its own transaction. */
const isFault = (performed: Performed): performed is Performed & { outcome: Refused } =>
  "refusal" in performed.outcome && performed.outcome.refusal.code === "internal";

async function refuseCall(context: CallContext, call: Call, refusal: Refused): Promise<Performed> {
  const unlogged = await logCall(context, call, refusal.refusal.code);
  return { outcome: unlogged ?? refusal, replayed: false };
}

const unknownTool = refuse("not_found", `Unknown tool; the tools are ${[...tools.keys()].join(", ")}.`);

function present({ entry, args }: Call, { outcome, replayed }: Performed, today: Today): CallToolResult {
  if ("refusal" in outcome && outcome !== unknownTool) return refused(outcome.refusal, today);
  if (!entry || "refusal" in outcome) throw new ProtocolError(INVALID_PARAMS, unknownTool.refusal.message);
  const result = outcome.body === null ? null : JSON.parse(outcome.body);
  return answered(entry.presenter.present(result as never, args as never), today, replayed);
}
