import type { Config } from "../shared/config.ts";
import { localDay } from "../shared/domain/day.ts";
import { type FieldErrors, invalid, isRefused } from "../shared/errors.ts";
import type { Outcome, QueuedCommand, Reply } from "../shared/queue/envelope.ts";
import { outcomeCode, recordCall } from "./action-log.ts";
import type { Context } from "./handler.ts";
import { handlerOf } from "./handlers/index.ts";
import type { Clock, Clocks } from "./unit-of-work/clocks.ts";
import type { ReservedIds } from "./unit-of-work/ids.ts";
import { ownRows, type State } from "./unit-of-work/state.ts";

type Run = Readonly<{
  context: Readonly<{ config: Pick<Config, "defaultTimeZone"> }>;
  state: State;
  clocks: Clocks;
  ids: ReservedIds;
}>;

/** Runs commands in order, each on the state that the earlier ones left, and logs the calls they came by. */
export function answerAll(run: Run, commands: readonly QueuedCommand[]): Reply[] {
  return commands.map((command) => {
    const context = contextOf(run, command);
    const reply = answer(run, context, command);
    const { call } = command;
    if (call) recordCall(context, call, { outcome: outcomeCode(reply.outcome), replayed: reply.replayed });
    return reply;
  });
}

/** The stored reply of a command seen before, else the handler's, stored for the next time. */
function answer({ state, clocks }: Run, context: Context, command: QueuedCommand): Reply {
  const handler = handlerOf(command.name);
  const inbox = ownRows(state.inbox, command.userId);
  const seen = handler.repeatable ? undefined : inbox.get(command.id);
  if (seen) {
    const sameRequest = seen.fingerprint === (command.fingerprint ?? "");
    const outcome = sameRequest ? (JSON.parse(seen.reply) as Outcome) : invalid(keyTaken);
    return { ticket: command.ticket, outcome, replayed: sameRequest };
  }
  const result = handler.run(context, command.input as never);
  const outcome: Outcome = isRefused(result) ? result : { body: result };
  // A 422 changes nothing and is not kept, so that the corrected retry may use its key.
  const kept = !handler.repeatable && !("refusal" in outcome && outcome.refusal.code === "invalid");
  if (kept) {
    const { id: command_id, fingerprint } = command;
    inbox.insert({
      command_id,
      fingerprint: fingerprint ?? "",
      reply: JSON.stringify(outcome),
      created_at: clocks.now,
    });
  }
  return { ticket: command.ticket, outcome, replayed: false };
}

const keyTaken: FieldErrors = {
  "Idempotency-Key": ["The idempotency key was already used for a different request; use a new key."],
};

function contextOf(run: Run, { userId, acceptedAt }: QueuedCommand): Context {
  const { context, state, clocks, ids } = run;
  const clock = clockOf(run, userId);
  const timeZone = clock?.time_zone ?? context.config.defaultTimeZone;
  const dayStartHour = clock?.day_start_hour ?? 0;
  return {
    acceptedAt,
    now: clocks.now,
    today: { date: localDay(acceptedAt, timeZone, dayStartHour), timeZone },
    dayStartHour,
    nextId: ids.next,
    users: ownRows(state.users, userId),
    categories: ownRows(state.categories, userId),
    habits: ownRows(state.habits, userId),
    completions: ownRows(state.habit_completions, userId),
    todos: ownRows(state.todos, userId),
    reminders: ownRows(state.reminders, userId),
    deliveries: ownRows(state.reminder_deliveries, userId),
    actions: ownRows(state.action_log, userId),
    inbox: ownRows(state.inbox, userId),
  };
}

/** A command before this one may have changed the settings, or deleted them. */
function clockOf({ state, clocks }: Run, userId: string): Clock | undefined {
  const deleted = state.users.emptied.has(userId);
  return ownRows(state.users, userId).get() ?? (deleted ? undefined : clocks.ofUsers.get(userId));
}
