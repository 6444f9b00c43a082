import { type CallToolResult, INVALID_PARAMS, ProtocolError } from "@modelcontextprotocol/server";
import { DatabaseFailure } from "../../shared/db/database-failure.ts";
import { keptOfRun } from "../../shared/domain/cut-arguments.ts";
import type { Today } from "../../shared/domain/today.ts";
import { isRefused, type Refused, refuse } from "../../shared/errors.ts";
import type { Log } from "../../shared/process/log.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import { checkScopes, execute, type PerformContext, type PreparedRequest, prepare } from "../perform.ts";
import { readDaySettings } from "../queries/context.ts";
import { type KnownDay, logCall, type ReceivedCall, recordOf } from "./log-call.ts";
import type { OverLimit } from "./over-limit.ts";
import { answered, refused, type ToolOutcome } from "./result.ts";
import { entryFor, readArguments, type ToolEntry, tools } from "./tools.ts";

export type CallContext = PerformContext &
  Readonly<{ log: Log; toolRateLimit: RateLimit; overLimit: OverLimit }>;

type RefusedCall = Refused & KnownDay;
type Entry<Kind extends ToolEntry["kind"]> = Extract<ToolEntry, { kind: Kind }>;

/** The checks before the arguments: the token's allowance of tool calls, the tool's name, the token's scopes. */
export async function admit(
  { toolRateLimit }: CallContext,
  { actor, record }: ReceivedCall,
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

/** Answers a call that was not admitted, once its row is committed. */
export async function rejectCall(
  context: CallContext,
  call: ReceivedCall,
  refusal: Refused,
): Promise<CallToolResult> {
  if (refusal.refusal.code === "rate_limited") {
    const counted = await context.overLimit.count(call);
    return refused((counted.refused ?? refusal).refusal, counted.today);
  }
  const logged = await logRefusal(context, call, refusal);
  if (logged.refusal === unknownTool.refusal) throw new ProtocolError(INVALID_PARAMS, logged.refusal.message);
  return refusalResult(context, call, logged);
}

/**
 * Performs an admitted call and answers it once its row in the action log is committed. When that cannot
 * be, the call is refused, and a read gives nothing away.
 */
export async function runTool(
  context: CallContext,
  call: ReceivedCall,
  admitted: ToolEntry,
): Promise<CallToolResult> {
  const entry = entryFor(admitted, call.args);
  try {
    const { contract } = entry;
    const content = () => readArguments(entry, call.args);
    const prepared = await prepare({ contract, actor: call.actor, content });
    const outcome = isRefused(prepared)
      ? await logRefusal(context, call, prepared)
      : entry.kind === "command"
        ? await runCommand(context, call, entry, prepared)
        : await runQuery(context, call, entry, prepared);
    return isRefused(outcome) ? await refusalResult(context, call, outcome) : answered(outcome);
  } catch (error) {
    const reason = error instanceof Error ? error.stack : String(error);
    context.log.error({ tool: call.record.tool, reason }, "tool call failed");
    const applied = entry.kind === "query" ? "no" : "unknown";
    return refused((error instanceof DatabaseFailure ? away : fault)(applied), undefined);
  }
}

/** A change's row is written in the transaction of its effects; a change that failed has none yet. */
async function runCommand(
  context: CallContext,
  call: ReceivedCall,
  { tool }: Entry<"command">,
  prepared: PreparedRequest,
): Promise<ToolOutcome | RefusedCall> {
  const { outcome, replayed, today } = await execute(context, prepared, recordOf(call, keptOfRun));
  if (!isRefused(outcome)) {
    // A reply that was lost on its way and found in the inbox has no day.
    const day = today ?? (await readToday(context, call));
    if (!day) return { refusal: away("unknown") };
    return { result: tool.result(outcome.body, prepared.input), today: day, replayed };
  }
  const { code, applied } = outcome.refusal;
  if (code === "overloaded" && applied === "no") return logOverload(context, call, outcome);
  return code === "internal" ? logRefusal(context, call, outcome) : { ...outcome, today };
}

/** A read's row shows how it ended, and nothing is given out without it. */
async function runQuery(
  context: CallContext,
  call: ReceivedCall,
  { tool }: Entry<"query">,
  prepared: PreparedRequest,
): Promise<ToolOutcome | RefusedCall> {
  const { outcome } = await execute(context, prepared);
  if (isRefused(outcome)) return logRefusal(context, call, outcome);
  const logged = await logCall(context, call, "ok");
  if (isRefused(logged)) return logged;
  const { body } = outcome;
  return { result: tool.result(body, prepared.input), today: tool.day(body), replayed: false };
}

/** @returns the refusal with the day, or the one that its row could not be written */
async function logRefusal(
  context: CallContext,
  call: ReceivedCall,
  { refusal }: Refused,
): Promise<RefusedCall> {
  return { refusal, ...(await logCall(context, call, refusal.code)) };
}

const overloadLogMs = 300;

/** Logs a change that was refused for overload where that is possible soon: its caller should not wait long. */
async function logOverload(context: CallContext, call: ReceivedCall, refusal: Refused): Promise<Refused> {
  await Promise.race([logCall(context, call, refusal.refusal.code), Bun.sleep(overloadLogMs)]);
  return refusal;
}

/** A refusal that comes late, because something is frozen, is held up no longer than this for the user's day. */
const refusedDayMs = 100;

/** The result of a refused call, with the user's day unless the database that knows it does not answer soon. */
async function refusalResult(
  context: CallContext,
  call: ReceivedCall,
  { refusal, today }: RefusedCall,
): Promise<CallToolResult> {
  if (today) return refused(refusal, today);
  const tooLate = Bun.sleep(refusedDayMs).then(() => undefined);
  return refused(refusal, await Promise.race([readToday(context, call), tooLate]));
}

/** Asks for the day that no worker's answer had. @returns undefined when the database cannot be asked */
const readToday = ({ query }: CallContext, { actor }: ReceivedCall): Promise<Today | undefined> =>
  readDaySettings(query(actor)).then(
    ({ today }) => today,
    () => undefined,
  );

type Applied = "no" | "unknown";

const away = (applied: Applied) =>
  refuse("overloaded", "The service is briefly unable to answer.", { applied, retryAfterSeconds: 1 }).refusal;

const fault = (applied: Applied) =>
  refuse("internal", "This call failed because of a fault of the service.", { applied }).refusal;
