import { DatabaseFailure } from "../../shared/db/database-failure.ts";
import type { Today } from "../../shared/domain/today.ts";
import { isRefused, type Refused, refuse } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import type { Log } from "../../shared/process/log.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import { checkScopes, execute, type PerformContext, type PreparedRequest } from "../perform.ts";
import { readDaySettings } from "../queries/context.ts";
import { type KnownDay, logCall, type ReceivedCall } from "./log-call.ts";
import type { OverLimit } from "./over-limit.ts";

/** What calls of tools and reads of resources have in common: admission, their row in the log, outages. */

export type CallContext = PerformContext &
  Readonly<{ config: Pick<Config, "baseUrl">; log: Log; toolRateLimit: RateLimit; overLimit: OverLimit }>;

export type RefusedCall = Refused & KnownDay & Readonly<{ replayed?: boolean }>;

/** The checks before the arguments: the token's allowance of calls, whether there is such a target, the token's scopes. */
export async function admit<Target extends Readonly<{ contract: Parameters<typeof checkScopes>[0] }>>(
  { toolRateLimit }: CallContext,
  { actor }: ReceivedCall,
  target: Target | Refused,
): Promise<Target | Refused> {
  const allowance = await toolRateLimit(actor.tokenId, actor.userId);
  if (allowance && !allowance.allowed) {
    const retryAfterSeconds = allowance.resetInSeconds;
    return refuse("rate_limited", "Too many tool calls.", { retryAfterSeconds });
  }
  return isRefused(target) ? target : (checkScopes(target.contract, actor) ?? target);
}

/** Logs a call that was not admitted. */
export async function logUnadmitted(
  context: CallContext,
  call: ReceivedCall,
  refusal: Refused,
): Promise<RefusedCall> {
  if (refusal.refusal.code !== "rate_limited") return logRefusal(context, call, refusal);
  const { refused: unlogged, today } = await context.overLimit.count(call);
  return { ...(unlogged ?? refusal), today };
}

/** @returns the refusal with the day, or the one that its row could not be written */
export async function logRefusal(
  context: CallContext,
  call: ReceivedCall,
  { refusal }: Refused,
): Promise<RefusedCall> {
  return { refusal, ...(await logCall(context, call, refusal)) };
}

/** A read's row shows how it ended, and nothing is given out without it. */
export async function readAndLog(
  context: CallContext,
  call: ReceivedCall,
  prepared: PreparedRequest,
): Promise<(Readonly<{ body: unknown }> & KnownDay) | RefusedCall> {
  const { outcome } = await execute(context, prepared);
  if (isRefused(outcome)) return logRefusal(context, call, outcome);
  const logged = await logCall(context, call);
  return isRefused(logged) ? logged : { body: outcome.body, ...logged };
}

/** Asks for the day that no worker's answer had. @returns undefined when the database cannot be asked */
export const readToday = ({ query }: CallContext, { actor }: ReceivedCall): Promise<Today | undefined> =>
  readDaySettings(query(actor)).then(
    ({ today }) => today,
    () => undefined,
  );

type Applied = "no" | "unknown";

/** Turns what is thrown into a refusal: a lost database is an outage, whatever else is a fault of ours. */
export async function withOutages<Result>(
  { log }: CallContext,
  { record }: ReceivedCall,
  applied: Applied,
  answer: () => Promise<Result>,
): Promise<Result | Refused> {
  try {
    return await answer();
  } catch (error) {
    const reason = error instanceof Error ? error.stack : String(error);
    log.error({ request_id: record.requestId, tool: record.tool, reason }, "tool call failed");
    return error instanceof DatabaseFailure ? away(applied) : fault(applied);
  }
}

export const away = (applied: Applied): Refused =>
  refuse("overloaded", "The service is briefly unable to answer.", { applied, retryAfterSeconds: 1 });

const fault = (applied: Applied): Refused =>
  refuse("internal", "This call failed because of a fault of the service.", { applied });
