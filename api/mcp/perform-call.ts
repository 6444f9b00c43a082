import type { CommandName, QueryName } from "../../shared/contracts/catalogue.ts";
import { keptOfRun } from "../../shared/domain/cut-arguments.ts";
import { isRefused, type Refused, refuse } from "../../shared/errors.ts";
import type { PerformContext } from "../perform.ts";
import { readDaySettings } from "../queries/context.ts";
import { read } from "../queries/index.ts";
import { readArguments, type ToolInput } from "./arguments.ts";
import type { Call } from "./call.ts";
import { logCall } from "./log-call.ts";
import type { Done } from "./result.ts";
import { recordOf } from "./tool-call.ts";
import type { ToolEntry } from "./tools.ts";

/** Checks the arguments, then reads, or dispatches and awaits; every outcome with its row in the action log. */
export async function performCall(
  context: PerformContext,
  call: Call,
  entry: ToolEntry,
): Promise<Done | Refused> {
  const input = readArguments(entry, call.args);
  if (isRefused(input)) return refuseLogged(context, call, input);
  return entry.contract.kind === "command"
    ? change(context, call, entry, input)
    : look(context, call, entry, input);
}

/** A change's row is written in the transaction of its effects; one that failed has none yet. */
async function change(
  context: PerformContext,
  call: Call,
  { contract, presenter }: ToolEntry,
  { input, idempotencyKey }: ToolInput,
): Promise<Done | Refused> {
  const { actor } = call;
  const clock = await readDaySettings(context.query(actor)).catch(() => undefined);
  if (!clock) return unavailable;
  const name = contract.name as CommandName;
  const record = recordOf(call, keptOfRun);
  const { outcome, replayed } = await context.dispatch(actor, { name, input, idempotencyKey, call: record });
  if ("refusal" in outcome) {
    const { code, applied } = outcome.refusal;
    if (code === "overloaded" && applied === "no") return refuseBusy(context, call, outcome);
    return code === "internal" ? refuseLogged(context, call, outcome) : outcome;
  }
  const result = outcome.body;
  return { presented: presenter.present(result as never, input as never), today: clock.today, replayed };
}

/** Without the day an answer would not be whole: found out before anything is changed. */
const unavailable = refuse("overloaded", "The service is briefly unable to answer.", {
  applied: "no",
  retryAfterSeconds: 1,
});

/** A read's row says how it ended, and nothing is given out without it. */
async function look(
  context: PerformContext,
  call: Call,
  { contract, presenter }: ToolEntry,
  { input }: ToolInput,
): Promise<Done | Refused> {
  const result = await read(contract.name as QueryName, context.query(call.actor), input);
  if (isRefused(result)) return refuseLogged(context, call, result);
  const unlogged = await logCall(context, call, "ok");
  if (unlogged) return unlogged;
  const { today: date, time_zone: timeZone } = result as { today: string; time_zone: string };
  const presented = presenter.present(result as never, input as never);
  return { presented, today: { date, timeZone }, replayed: false };
}

async function refuseLogged(context: PerformContext, call: Call, refusal: Refused): Promise<Refused> {
  return (await logCall(context, call, refusal.refusal.code)) ?? refusal;
}

const busyLogMs = 300;

/** Nothing happened, and the log says so where it can; whoever is refused for overload does not wait long for it. */
async function refuseBusy(context: PerformContext, call: Call, refusal: Refused): Promise<Refused> {
  await Promise.race([logCall(context, call, refusal.refusal.code), Bun.sleep(busyLogMs)]);
  return refusal;
}
