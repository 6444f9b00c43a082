import { keptOfRefused, keptOfRun } from "../../shared/domain/cut-arguments.ts";
import { type Refused, refuse } from "../../shared/errors.ts";
import type { PerformContext } from "../perform.ts";
import { isLogged } from "../queries/tool-call.ts";
import type { Call } from "./call.ts";
import { recordOf } from "./tool-call.ts";

export const unlogged = refuse("overloaded", "The service is briefly unable to log this call.", {
  applied: "no",
  retryAfterSeconds: 1,
});

/**
 * Has a worker write the row of a call that changes nothing: a read, or a refused call.
 * @returns why the row could not be written, in which case the call must not be answered
 */
export async function logCall(
  context: PerformContext,
  call: Call,
  outcome: string,
): Promise<Refused | undefined> {
  const record = recordOf(call, outcome === "ok" ? keptOfRun : keptOfRefused);
  const input = { call: record, outcome };
  const logged = await context.dispatch(call.actor, { name: "action.record", input });
  if (!("refusal" in logged.outcome)) return undefined;
  const mayStand = logged.outcome.refusal.applied === "unknown";
  const { query } = context;
  return mayStand && (await isLogged(query(call.actor), call.record.requestId)) ? undefined : unlogged;
}
