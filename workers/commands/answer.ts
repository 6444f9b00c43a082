import { localDay } from "../../shared/domain/day.ts";
import { timeOfUuid } from "../../shared/domain/uuid-time.ts";
import { isRefused, keyTaken, refuse, unavailable } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import type { Outcome, QueuedCommand, Reply } from "../../shared/queue/batch.ts";
import type { Context } from "../handlers/handler.ts";
import { handlerOf } from "../handlers/index.ts";
import { outcomeCode, recordCall } from "../handlers/tool-call/action-log.ts";
import type { BatchTimes, DaySettings } from "../unit-of-work/batch-times.ts";
import type { Ids } from "../unit-of-work/ids.ts";
import type { Quotas } from "../unit-of-work/quotas.ts";
import { ownRows, type State } from "../unit-of-work/state.ts";
import { nearPresent } from "../unit-of-work/trusted-time.ts";

type Run = Readonly<{
  context: Readonly<{ config: Pick<Config, "defaultTimeZone">; quotas: Quotas }>;
  state: State;
  clocks: BatchTimes;
  ids: Ids;
  late: ReadonlySet<QueuedCommand>;
  heldKeys: ReadonlySet<string>;
}>;

/** Runs commands in order, each on the state that the earlier ones left, and logs the calls they came by. */
export function answerAll(run: Run, commands: readonly QueuedCommand[]): Reply[] {
  return commands.map((command) => {
    if (isClosed(run, command)) return reply(command, accountGone);
    const context = contextOf(run, command);
    const answered = answer(run, context, command);
    const { call } = command;
    if (call && !isTurnedAway(answered))
      recordCall(context, call, { outcome: outcomeCode(answered.outcome), replayed: answered.replayed });
    return answered;
  });
}

const reply = ({ ticket }: QueuedCommand, outcome: Outcome, replayed = false): Reply => ({
  ticket,
  outcome,
  replayed,
});

/** Nothing was done for it, and nobody waits for its row any more. */
const isTurnedAway = ({ outcome }: Reply): boolean =>
  "refusal" in outcome && outcome.refusal.code === "overloaded";

/** Only its deletion may be repeated: the first try may have broken off. */
const isClosed = ({ clocks }: Run, { userId, name }: QueuedCommand): boolean =>
  clocks.deleted.has(userId) && handlerOf(name).followUp === undefined;

const accountGone = refuse("unauthenticated", "The account of this access token was deleted.");

/** The stored reply of a command seen before, else the handler's, stored for the next time. */
function answer(run: Run, context: Context, command: QueuedCommand): Reply {
  const { state, clocks, late, heldKeys } = run;
  const handler = handlerOf(command.name);
  const inbox = ownRows(state.inbox, command.userId);
  const seen = handler.repeatable ? undefined : inbox.get(command.id);
  if (seen) {
    const sameRequest = seen.fingerprint === (command.fingerprint ?? "");
    return reply(command, sameRequest ? (JSON.parse(seen.reply) as Outcome) : keyTaken, sameRequest);
  }
  // Whoever holds the key may be about to commit an earlier try of the same request.
  if (late.has(command)) return reply(command, unavailable(heldKeys.has(command.id) ? "unknown" : "no"));
  const result = handler.run(context, command.input as never);
  const outcome: Outcome = isRefused(result) ? result : { body: result };
  if (!handler.repeatable && isKept(command, outcome)) {
    const { id: command_id, fingerprint } = command;
    inbox.insert({
      command_id,
      fingerprint: fingerprint ?? "",
      reply: JSON.stringify(outcome),
      keyed: fingerprint !== null,
      created_at: fingerprint === null ? nearPresent(timeOfUuid(command_id), clocks) : clocks.now,
    });
  }
  return reply(command, outcome);
}

/** A 422 changes nothing; with a key it is not kept, so that the corrected retry may use that key. */
const isKept = ({ fingerprint }: QueuedCommand, outcome: Outcome): boolean =>
  fingerprint === null || !("refusal" in outcome && outcome.refusal.code === "invalid");

function contextOf(run: Run, { userId, acceptedAt }: QueuedCommand): Context {
  const { context, state, clocks, ids } = run;
  const clock = daySettingsOf(run, userId);
  const timeZone = clock?.time_zone ?? context.config.defaultTimeZone;
  const dayStartHour = clock?.day_start_hour ?? 0;
  return {
    acceptedAt,
    now: clocks.now,
    at: clocks.at,
    today: { date: localDay(acceptedAt, timeZone, dayStartHour), timeZone },
    dayStartHour,
    nextId: ids.next,
    takeRoom: (table) => context.quotas.take({ userId, table }),
    users: ownRows(state.users, userId),
    categories: ownRows(state.categories, userId),
    habits: ownRows(state.habits, userId),
    completions: ownRows(state.habit_completions, userId),
    todos: ownRows(state.todos, userId),
    reminders: ownRows(state.reminders, userId),
    deliveries: ownRows(state.reminder_deliveries, userId),
    actions: ownRows(state.action_log, userId),
  };
}

/** A command before this one may have changed the settings. */
const daySettingsOf = ({ state, clocks }: Run, userId: string): DaySettings | undefined =>
  ownRows(state.users, userId).get() ?? clocks.ofUsers.get(userId);
