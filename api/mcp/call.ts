import { type CallToolResult, INVALID_PARAMS, ProtocolError } from "@modelcontextprotocol/server";
import type { SeveralInput, SeveralOutput } from "../../shared/contracts/several.ts";
import type { Tool } from "../../shared/contracts/tool.ts";
import { givenIn } from "../../shared/contracts/tool-sentence.ts";
import { keptOfRun } from "../../shared/domain/cut-arguments.ts";
import { isRefused, type Refused, refuse } from "../../shared/errors.ts";
import { execute, type PreparedRequest, prepare } from "../perform.ts";
import {
  away,
  type CallContext,
  logRefusal,
  logUnadmitted,
  type RefusedCall,
  readAndLog,
  readToday,
  withOutages,
} from "./admit.ts";
import { readArguments } from "./arguments.ts";
import { logCall, type ReceivedCall, recordOf } from "./log-call.ts";
import { answered, refused, type ToolOutcome } from "./result.ts";
import { readSeveral, severalIn, severalResult } from "./several.ts";
import { entryFor, type ToolEntry, tools } from "./tools.ts";

type Entry<Kind extends ToolEntry["kind"]> = Extract<ToolEntry, { kind: Kind }>;

const unknownTool = refuse("not_found", `Unknown tool; the tools are ${[...tools.keys()].join(", ")}.`);

export const findTool = (name: string): ToolEntry | Refused => tools.get(name) ?? unknownTool;

/** Answers a call that was not admitted, once its row is committed. */
export async function rejectCall(
  context: CallContext,
  call: ReceivedCall,
  refusal: Refused,
): Promise<CallToolResult> {
  const logged = await logUnadmitted(context, call, refusal);
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
  const given = givenIn(call.args);
  const entry = entryFor(admitted, given);
  const applied = entry.kind === "query" ? "no" : "unknown";
  const result = await withOutages(context, call, applied, async () => {
    const form = severalIn(entry, given);
    const { contract } = form ?? entry;
    const content = () => (form ? readSeveral(entry, form, given) : readArguments(entry, call.args));
    const prepared = await prepare({ contract, actor: call.actor, content });
    const outcome = isRefused(prepared)
      ? await logRefusal(context, call, prepared)
      : entry.kind === "query"
        ? await runQuery(context, call, entry, prepared)
        : await runCommand(context, call, { tool: entry.tool, isSeveral: form !== undefined }, prepared);
    return isRefused(outcome)
      ? refusalResult(context, call, outcome)
      : answered(outcome, context.config.baseUrl);
  });
  return isRefused(result) ? refused(result.refusal, undefined) : result;
}

/** A change's row is written in the transaction of its effects; a change that failed has none yet. */
async function runCommand(
  context: CallContext,
  call: ReceivedCall,
  { tool, isSeveral }: Readonly<{ tool: Tool; isSeveral: boolean }>,
  prepared: PreparedRequest,
): Promise<ToolOutcome | RefusedCall> {
  const { outcome, replayed, today } = await execute(context, prepared, recordOf(call, keptOfRun));
  if (!isRefused(outcome)) {
    // A reply that was lost on its way and found in the inbox has no day.
    const day = today ?? (await readToday(context, call));
    if (!day) return away("unknown");
    const { body } = outcome;
    const { input } = prepared;
    const told = { scopes: call.actor.scopes, today: day };
    const result = isSeveral
      ? severalResult(tool, body as SeveralOutput, input as SeveralInput, told)
      : tool.result(body, input);
    return { result, today: day, replayed };
  }
  const { code, applied } = outcome.refusal;
  if (code === "overloaded" && applied === "no") return logOverload(context, call, outcome);
  return code === "internal" ? logRefusal(context, call, outcome) : { ...outcome, today, replayed };
}

async function runQuery(
  context: CallContext,
  call: ReceivedCall,
  { tool }: Entry<"query">,
  prepared: PreparedRequest,
): Promise<ToolOutcome | RefusedCall> {
  const read = await readAndLog(context, call, prepared);
  if (isRefused(read)) return read;
  const { body } = read;
  return { result: tool.result(body, prepared.input), today: tool.day(body), replayed: false };
}

const overloadLogMs = 300;

/** Logs a change that was refused for overload where that is possible soon: its caller should not wait long. */
async function logOverload(context: CallContext, call: ReceivedCall, refusal: Refused): Promise<Refused> {
  await Promise.race([logCall(context, call, refusal.refusal), Bun.sleep(overloadLogMs)]);
  return refusal;
}

/** A refusal that comes late, because something is frozen, is held up no longer than this for the user's day. */
const refusedDayMs = 100;

/** The result of a refused call, with the user's day unless the database that knows it does not answer soon. */
async function refusalResult(
  context: CallContext,
  call: ReceivedCall,
  { refusal, today, replayed }: RefusedCall,
): Promise<CallToolResult> {
  if (today) return refused(refusal, today, replayed);
  const tooLate = Bun.sleep(refusedDayMs).then(() => undefined);
  return refused(refusal, await Promise.race([readToday(context, call), tooLate]));
}
