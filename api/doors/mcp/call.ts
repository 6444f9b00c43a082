import { type CallToolResult, ProtocolError, type Result } from "@modelcontextprotocol/server";
import { type PreviewedChange, previewOfTool } from "../../../shared/contracts/kernel/preview.ts";
import { DatabaseFailure } from "../../../shared/db/database-failure.ts";
import { keptOfRun } from "../../../shared/domain/action/cut-arguments.ts";
import type { Today } from "../../../shared/domain/day/day.ts";
import { isRefused, type Refused, refuse } from "../../../shared/errors.ts";
import type { Config } from "../../../shared/process/config.ts";
import type { Log } from "../../../shared/process/observe/log.ts";
import type { Outcome } from "../../../shared/queue/batch.ts";
import type { RateLimit } from "../../http/rate-limit.ts";
import { checkScopes, execute, type PerformContext, prepare } from "../../perform.ts";
import { readToday, readTodaySoon } from "../../queries/engine/context.ts";
import type { OverLimit } from "./log-call.ts";
import { logCall, type ReceivedCall, recordOf } from "./log-call.ts";
import type { CallTarget, Success, Understood } from "./target.ts";
import { lean, quoteStored } from "./tool.ts";

/** The steps of a tool call or a read of a resource: admit, prepare, execute, log, shape. */

export type CallContext = PerformContext &
  Readonly<{
    config: Pick<Config, "baseUrl">;
    log: Log;
    /** Undefined when calls have no limit. */
    toolRateLimit: RateLimit | undefined;
    overLimit: OverLimit;
  }>;

type End<Ended extends Outcome = Outcome> = Readonly<{
  outcome: Ended;
  today?: Today | undefined;
  replayed?: boolean;
  changes?: readonly PreviewedChange[] | undefined;
  former?: Success["former"];
}>;

const at = ({ record }: ReceivedCall) => ({ calledAt: record.startedAt });

/** Checks the token's rate limit, the target's existence and the token's scopes, in this order. */
export async function admit(
  { toolRateLimit }: CallContext,
  { actor, target }: ReceivedCall,
): Promise<CallTarget | Refused> {
  const allowance = await toolRateLimit?.(actor.tokenId, actor.userId);
  if (allowance?.allowed === false)
    return refuse("rate_limited", "Too many tool calls.", { retryAfterSeconds: allowance.resetInSeconds });
  return isRefused(target) ? target : (checkScopes(target, actor) ?? target);
}

/**
 * Answers a call once its row in the action log is committed. Without the row the call is refused, and a read
 * reveals nothing.
 */
export async function answerCall(
  context: CallContext,
  call: ReceivedCall,
  admitted: CallTarget | Refused,
): Promise<Result> {
  try {
    return await (isRefused(admitted) ? reject(context, call, admitted) : runCall(context, call, admitted));
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const { requestId, tool } = call.record;
    const reason = error instanceof Error ? error.stack : String(error);
    context.log.error({ request_id: requestId, tool, reason }, "tool call failed");
    const applied = appliedBy(admitted);
    return call.refuse((error instanceof DatabaseFailure ? away(applied) : fault(applied)).refusal, at(call));
  }
}

/** Calls over the rate limit share a row. */
async function reject(context: CallContext, call: ReceivedCall, outcome: Refused): Promise<Result> {
  if (outcome.refusal.code !== "rate_limited")
    return shapeRefusal(context, call, await log(context, call, { outcome }));
  const { refused = outcome, today } = await context.overLimit.count(call);
  return shapeRefusal(context, call, { outcome: refused, today });
}

async function runCall(context: CallContext, call: ReceivedCall, target: CallTarget): Promise<Result> {
  const understood = await target.understand();
  if (isRefused(understood))
    return shapeRefusal(context, call, await log(context, call, { outcome: understood }));
  const end = await carryOut(context, call, understood);
  const { outcome, replayed = false, changes } = end;
  if (isRefused(outcome)) return shapeRefusal(context, call, { ...end, outcome });
  const { body } = outcome;
  // A reply that was lost on its way and found in the inbox has no day.
  const today = understood.dayOf?.(body) ?? end.today ?? (await readToday(context.query(call.actor)));
  if (!today) return call.refuse(away(appliedBy(target)).refusal, at(call));
  const { baseUrl } = context.config;
  const success = { body, actor: call.actor, today, ...at(call), replayed, baseUrl };
  // The changes of a preview have the words of before.
  return changes
    ? previewed(understood.answer(success), changes)
    : understood.answer({ ...success, former: end.former });
}

const overloadLogMs = 300;

/** A worker writes the row of a change with its effects. A command of its own logs any other call. */
async function carryOut(context: CallContext, call: ReceivedCall, understood: Understood): Promise<End> {
  const { contract } = understood;
  const prepared = await prepare({ contract, actor: call.actor, content: () => understood });
  if (isRefused(prepared)) return log(context, call, { outcome: prepared });
  if (contract.kind === "query") return log(context, call, await execute(context, prepared));
  const end = await execute(context, { ...prepared, by: recordOf(call, keptOfRun) });
  if (prepared.preview) return log(context, asPreview(call), end);
  if (!isRefused(end.outcome)) return end;
  const { code, applied } = end.outcome.refusal;
  if (code === "internal") return log(context, call, end);
  // No worker had the change, so its caller does not wait long for a row that says so.
  if (code === "overloaded" && applied === "no")
    await Promise.race([log(context, call, end), Bun.sleep(overloadLogMs)]);
  return end;
}

const asPreview = ({ record, ...call }: ReceivedCall): ReceivedCall => ({
  ...call,
  record: { ...record, tool: previewOfTool(record.tool) },
});

/** @returns the end with the user's day, or the refusal of a call whose row cannot be written */
async function log<Ended extends End>(context: CallContext, call: ReceivedCall, end: Ended) {
  const logged = await logCall(context, call, isRefused(end.outcome) ? end.outcome.refusal : undefined);
  return isRefused(logged) ? { outcome: logged } : { ...logged, ...end };
}

async function shapeRefusal(
  context: CallContext,
  call: ReceivedCall,
  { outcome: { refusal }, today, replayed }: End<Refused>,
): Promise<Result> {
  if (today) return call.refuse(refusal, { ...at(call), today, replayed });
  const day = await readTodaySoon(context.query(call.actor));
  return call.refuse(refusal, { ...at(call), today: day, replayed });
}

type Applied = "no" | "unknown";

/** True if a call that failed at an unknown point may have changed something. */
const appliedBy = (admitted: CallTarget | Refused): Applied =>
  !isRefused(admitted) && admitted.writes ? "unknown" : "no";

const away = (applied: Applied): Refused =>
  refuse("overloaded", "The service is briefly unable to answer.", { applied, retryAfterSeconds: 1 });

const fault = (applied: Applied): Refused =>
  refuse("internal", "This call failed because of a fault of the service.", { applied });

const isOfTool = (answer: Result): answer is CallToolResult => "content" in answer;

/** The result of a preview: the answer that the call would get, and what it would change. */
function previewed(answer: Result, all: readonly PreviewedChange[]): CallToolResult {
  const changes = all.map(leanChange);
  const lines = [
    changes.length === 0 ? "It would change nothing." : "It would change:",
    ...changes.map(lineOf),
  ];
  const lead = "A preview: nothing was changed. Without preview this call would answer:";
  const { content, structuredContent } = isOfTool(answer) ? answer : { content: [] };
  const texts = content.flatMap((part) => (part.type === "text" ? part.text : []));
  const text = [lead, ...texts, ...lines].join("\n");
  const facts = { ...Object(structuredContent), preview: true, changes };
  return { content: [{ type: "text", text }], structuredContent: facts };
}

/** A change without facts that agents assume for absent ones. Of a changed thing each field is told. */
function leanChange(change: PreviewedChange): PreviewedChange {
  const { before, after } = change;
  if (before && after) return change;
  return { ...change, before: before && lean(before), after: after && lean(after) };
}

function lineOf({ kind, id, name, before, after }: PreviewedChange): string {
  if (!before) return `- new ${kind} ${quoteStored(name)}: ${JSON.stringify(after)}`;
  const thing = `${kind} #${id} ${quoteStored(name)}`;
  if (!after) return `- ${thing} would be deleted: ${JSON.stringify(before)}`;
  const fields = Object.keys(after).map(
    (field) => `${field} ${JSON.stringify(before[field])} -> ${JSON.stringify(after[field])}`,
  );
  return `- ${thing}: ${fields.join(", ")}`;
}
