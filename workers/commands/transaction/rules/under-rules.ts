import { maxWaiting, waitingHours } from "../../../../shared/contracts/approval/contracts.ts";
import type { ApprovalRow } from "../../../../shared/db/entities.ts";
import type { RowChange } from "../../../../shared/domain/action/images.ts";
import { timestamp } from "../../../../shared/domain/day/day.ts";
import { type Refused, refuse, unavailable } from "../../../../shared/errors.ts";
import type { Outcome, QueuedCommand, Reply } from "../../../../shared/queue/batch.ts";
import { changedImages } from "../../../handlers/action/action-log.ts";
import { effectsIn, restsOn } from "../../../handlers/approval/effects.ts";
import { usedWith, verdictOn } from "../../../handlers/approval/verdict.ts";
import { type AskedRequest, tellPerson } from "../../../handlers/approval.ts";
import { rollBack, rowChanges } from "../../../unit-of-work/state.ts";
import type { Answered, CommandToRun } from "../../received.ts";
import type { RunningGroup } from "../group.ts";
import { contextOf, type SharedContext } from "../handler-context.ts";
import { approvalIdOf, type Unit } from "./rule-rows.ts";

type Request = Readonly<{
  /** Set for a group, of which `unit` are the commands. */
  group?: RunningGroup;
  /** Ends a command that is not carried out. */
  close(command: QueuedCommand, outcome: Outcome): Reply;
}>;

/**
 * Judges a request by its effects, whether its token may do that. If not, its changes are thrown away: it waits for
 * the person, or is refused.
 * @returns a function to call with the replies when the request has run
 */
export function underRules<Work extends CommandToRun>(
  transaction: SharedContext,
  unit: Unit<Work>,
  { group, close }: Request,
): (answered: Answered<Work>) => Answered<Work> {
  const { state, newRows, context } = transaction;
  const [{ command }] = unit;
  const own = contextOf(transaction, command);
  const { tokenRules, ruledTokens, today } = own;
  const rule = tokenRules.get(command.call?.tokenId ?? "");
  if (!rule) return (answered) => answered;
  const count = state.changes.length;
  const restoreQuotas = newRows.checkpoint();
  return (answered) => {
    const changes = rowChanges(state, count);
    const effects = effectsIn(changes, own);
    const { category = null } = ruledTokens.get(rule.token_id) ?? {};
    const { baseUrl } = context.config;
    const verdict = verdictOn(rule, effects, {
      today: today.date,
      timeZone: today.timeZone,
      category,
      baseUrl,
    });
    if (verdict === "allowed") {
      if (effects.things > 0) tokenRules.update(rule, usedWith(rule, effects, today.date));
      return answered;
    }
    rollBack(state, count);
    restoreQuotas();
    const outcome = verdict === "asks" ? ask(transaction, unit, group, changes) : verdict;
    for (const { ticket } of unit.map((one) => one.command)) group?.ended.set(ticket, outcome);
    return unit.map((one) => [one, close(one.command, outcome)] as const);
  };
}

const hourMs = 3_600_000;

/** Stores the request until its person decides. */
function ask<Work extends CommandToRun>(
  transaction: SharedContext,
  unit: Unit<Work>,
  group: RunningGroup | undefined,
  changes: readonly RowChange[],
): Refused {
  const [{ command }] = unit;
  const { userId, acceptedAt, call } = command;
  const context = contextOf(transaction, command);
  const { baseUrl } = transaction.context.config;
  const id = approvalIdOf(unit);
  const known = context.approvals.get(id);
  if (known) return waits(known, baseUrl);
  // A group that failed is tried again in halves, and neither is what the person should judge.
  if (group && unit.length < group.operations.size) return unavailable("no");
  const full = transaction.context.accountBytes.refusal(userId, "more");
  if (full) return full;
  const { before, after } = changedImages(context, changes);
  const tokenId = call?.tokenId ?? "";
  const isNew = ({ created_at }: ApprovalRow) => created_at === context.now;
  const others = context.ruledTokens.get(tokenId)?.waiting ?? 0;
  if (others + context.approvals.all().filter(isNew).length >= maxWaiting) return tooManyWait(baseUrl);
  const approval = context.approvals.insert({
    ...{ id, token_id: tokenId, client_name: call?.clientName ?? null, state: "waiting" },
    request: JSON.stringify(requestOf(command, group)),
    ...{ before: JSON.stringify(before), after: JSON.stringify(after), rests_on: restsOn(changes) },
    expires_at: new Date(acceptedAt + waitingHours * hourMs).toISOString(),
    ...{ outcome: null, decided_at: null, created_at: context.now },
  });
  if (transaction.times.users.get(userId)?.reminder_channel !== "log") tellPerson(context, userId);
  return waits(approval, baseUrl);
}

function requestOf({ name, input, acceptedAt, call }: QueuedCommand, group?: RunningGroup): AskedRequest {
  const operations = group && [...group.operations.values()];
  return {
    ...{ name, input: group ? {} : input, acceptedAt },
    ...(call && { call }),
    ...(group && operations && { group: { atomic: group.atomic, operations } }),
  };
}

const approvalsAt = (baseUrl: string): string => `${baseUrl}/account/approvals`;

function waits({ id, state, expires_at }: ApprovalRow, baseUrl: string): Refused {
  const reason = "This waits for the person's approval, and nothing is changed yet.";
  return refuse("waiting", reason, {
    next: `Ask the person to decide at ${approvalsAt(baseUrl)} within ${waitingHours} hours.`,
    approval: { id, state, expires_at: timestamp(expires_at), approve_at: approvalsAt(baseUrl) },
  });
}

const tooManyWait = (baseUrl: string): Refused =>
  refuse("token_limit", `${maxWaiting} requests wait for the person's approval, the most that may.`, {
    next: `Ask the person to decide about them at ${approvalsAt(baseUrl)}`,
  });
