import { type Refused, refuse } from "../../shared/errors.ts";
import type { PerformContext } from "../perform.ts";
import type { Call } from "./call.ts";

const unlogged = refuse("overloaded", "The service is briefly unable to log this call.", {
  applied: "no",
  retryAfterSeconds: 1,
});

/**
 * Has a worker write the row of a call that changes nothing: a read, or a refused call.
 * @returns why the row could not be written, in which case the call must not be answered
 */
export async function logCall(
  { dispatch }: Pick<PerformContext, "dispatch">,
  { actor, record }: Pick<Call, "actor" | "record">,
  outcome: string,
): Promise<Refused | undefined> {
  const input = { call: record, outcome };
  const logged = await dispatch(actor, { name: "action.record", input });
  return "refusal" in logged.outcome ? unlogged : undefined;
}
