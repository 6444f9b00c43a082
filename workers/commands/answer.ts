import { localDay } from "../../shared/domain/day.ts";
import { timeOfUuid } from "../../shared/domain/uuid-time.ts";
import { isRefused, keyTaken, type RefusalCode, refuse, unavailable } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import type { Outcome, QueuedCommand, Reply } from "../../shared/queue/batch.ts";
import type { AnyHandler, HandlerContext } from "../handlers/handler.ts";
import { handlerOf } from "../handlers/index.ts";
import { outcomeCode, recordCall } from "../handlers/tool-call/action-log.ts";
import type { Quotas } from "../unit-of-work/quotas.ts";
import { ownRows } from "../unit-of-work/state.ts";
import { trustedTime } from "../unit-of-work/trusted-time.ts";
import type { Begun } from "./begin.ts";
import { checkPreconditions } from "./preconditions.ts";

export type AnswerContext = Readonly<{ config: Pick<Config, "defaultTimeZone">; quotas: Quotas }>;

type Run = Begun & Readonly<{ context: AnswerContext }>;

/** Runs commands in order, each on the state that the earlier ones left, and logs the tool calls that sent them. */
export function answerAll(run: Run, commands: readonly QueuedCommand[]): Reply[] {
  return commands.map((command) => {
    if (isAccountDeleted(run, command)) return replyTo(command, accountDeleted);
    const context = contextOf(run, command);
    const reply = answer(run, context, command);
    const { outcome, replayed } = reply;
    if (command.call && !isRefusedAs("overloaded", outcome))
      recordCall(context, command.call, { outcome: outcomeCode(outcome), replayed });
    return statesDay(command) ? { ...reply, today: context.today } : reply;
  });
}

/** A tool call's answer states the user's day of this call, also when it repeats an earlier one. */
const statesDay = ({ call, name }: QueuedCommand): boolean => call !== undefined || name === "action.record";

const replyTo = ({ ticket }: QueuedCommand, outcome: Outcome, replayed = false): Reply => ({
  ticket,
  outcome,
  replayed,
});

const isRefusedAs = (code: RefusalCode, outcome: Outcome): boolean =>
  "refusal" in outcome && outcome.refusal.code === code;

/** Deleting the account again is allowed, since the first deletion may have broken off. */
const isAccountDeleted = ({ times }: Run, { userId, name }: QueuedCommand): boolean =>
  times.deleted.has(userId) && handlerOf(name).followUp === undefined;

const accountDeleted = refuse("unauthenticated", "The account of this access token was deleted.");

/** Answers with the stored reply of a command seen before, else with the handler's, which is stored. */
function answer(run: Run, context: HandlerContext, command: QueuedCommand): Reply {
  const { state, late } = run;
  const handler = handlerOf(command.name);
  const inbox = ownRows(state.inbox, command.userId);
  const seen = handler.idempotent ? undefined : inbox.get(command.id);
  if (seen) {
    const sameRequest = seen.fingerprint === (command.fingerprint ?? "");
    const outcome: Outcome = sameRequest ? JSON.parse(seen.reply) : keyTaken(command.call !== undefined);
    return replyTo(command, outcome, sameRequest);
  }
  const applied = late.get(command);
  if (applied) return replyTo(command, unavailable(applied));
  const result = checkPreconditions(handler, context, command) ?? handler.run(context, command.input);
  const outcome: Outcome = isRefused(result) ? result : { body: result };
  if (isStored(handler, command, outcome)) inbox.insert(inboxRow(run, command, outcome));
  return replyTo(command, outcome);
}

/** What a caller corrects and sends again is not stored with its idempotency key, which the next try may use. */
function isStored({ idempotent }: AnyHandler, { fingerprint }: QueuedCommand, outcome: Outcome): boolean {
  const isCorrectable = isRefusedAs("invalid", outcome) || isRefusedAs("precondition_failed", outcome);
  return !idempotent && (fingerprint === null || !isCorrectable);
}

function inboxRow({ times }: Run, { id, fingerprint }: QueuedCommand, outcome: Outcome) {
  return {
    command_id: id,
    fingerprint: fingerprint ?? "",
    reply: JSON.stringify(outcome),
    keyed: fingerprint !== null,
    created_at: fingerprint === null ? trustedTime(timeOfUuid(id), times) : times.now,
  };
}

function contextOf({ context, state, times, ids, repeats }: Run, command: QueuedCommand): HandlerContext {
  const { userId, acceptedAt } = command;
  const users = ownRows(state.users, userId);
  // A command before this one may have changed the settings, so the loaded row comes first.
  const day = users.get() ?? times.daySettings.get(userId);
  const timeZone = day?.time_zone ?? context.config.defaultTimeZone;
  const dayStartHour = day?.day_start_hour ?? 0;
  return {
    acceptedAt,
    now: times.now,
    nowMs: times.nowMs,
    today: { date: localDay(acceptedAt, timeZone, dayStartHour), timeZone },
    dayStartHour,
    isRepeat: repeats.has(command),
    nextId: ids.next,
    useQuota: (table) => context.quotas.use({ userId, table }),
    users,
    categories: ownRows(state.categories, userId),
    habits: ownRows(state.habits, userId),
    completions: ownRows(state.habit_completions, userId),
    todos: ownRows(state.todos, userId),
    reminders: ownRows(state.reminders, userId),
    deliveries: ownRows(state.reminder_deliveries, userId),
    actions: ownRows(state.action_log, userId),
  };
}
