import { cutArguments, keptOfRefused, keptOfRun } from "../../../shared/domain/action/cut-arguments.ts";
import type { Today } from "../../../shared/domain/day/day.ts";
import { isRefused, type Refusal, type Refused, refuse } from "../../../shared/errors.ts";
import type { Call } from "../../../shared/queue/batch.ts";
import type { Actor } from "../../mailbox/actor.ts";
import type { PerformContext } from "../../perform.ts";
import { isLogged } from "../../queries/action/read.ts";
import type { Asked } from "./target.ts";

/** A call as it came in, with the fields of its row in the action log. */
export type ReceivedCall = Asked &
  Readonly<{ request: Request; actor: Actor; record: Omit<Call, "arguments"> }>;

/** The fields of a call's row. Long arguments are cut here, before they travel to a worker. */
export function recordOf({ record, args }: ReceivedCall, maxArguments: number): Call {
  return { ...record, arguments: cutArguments(args, maxArguments) };
}

/** The refusal of a call whose row cannot be written. */
export const unlogged = refuse("overloaded", "The service is briefly unable to log this call.", {
  applied: "no",
  retryAfterSeconds: 1,
});

/** The user's day, if a worker's answer had it. */
type KnownDay = Readonly<{ today?: Today | undefined }>;

/**
 * Lets a worker write the row of a call that changes nothing: a read or a refusal.
 * @returns the refusal when the row could not be written; then the call must not be answered
 */
export async function logCall(
  context: PerformContext,
  call: ReceivedCall,
  refusal?: Refusal,
): Promise<Refused | KnownDay> {
  const record = recordOf(call, refusal ? keptOfRefused : keptOfRun);
  const input = { call: record, outcome: refusal?.code ?? "ok", message: refusal?.message };
  const logged = await context.dispatch(call.actor, { name: "action.record", input });
  if (!isRefused(logged.outcome)) return { today: logged.today };
  const mayStand = logged.outcome.refusal.applied === "unknown";
  const { query } = context;
  return mayStand && (await isLogged(query(call.actor), call.record)) ? {} : unlogged;
}
