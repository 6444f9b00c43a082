import { localDay } from "../../shared/domain/day.ts";
import { timeOfUuid } from "../../shared/domain/uuid-time.ts";
import { isRefused, keyTaken, type RefusalCode, refuse, unavailable } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import { isToolCall, type Outcome, type QueuedCommand, type Reply } from "../../shared/queue/batch.ts";
import { logAction } from "../handlers/action/action-log.ts";
import type { AnyHandler, HandlerContext } from "../handlers/handler.ts";
import { handlerOf } from "../handlers/index.ts";
import { createRecorder } from "../unit-of-work/recorder.ts";
import { checkpoint, ownRows } from "../unit-of-work/state.ts";
import type { Rows, TableName } from "../unit-of-work/table.ts";
import { trustedTime } from "../unit-of-work/trusted-time.ts";
import type { Begun } from "./begin.ts";
import { checkPreconditions } from "./preconditions.ts";

export type AnswerContext = Readonly<{ config: Pick<Config, "defaultTimeZone"> }>;

/** A transaction under way; `newIds` has the ids by command of what is made, where others refer to it already. */
export type Run = Begun & Readonly<{ context: AnswerContext; newIds?: ReadonlyMap<string, number> }>;

/** Runs commands in order, each on the state that the earlier ones left. */
export const answerAll = (run: Run, commands: readonly QueuedCommand[]): Reply[] =>
  commands.map((command) => answerOne(run, command));

/** Runs one command, and logs it as the action of whoever sent it. */
export function answerOne(run: Run, command: QueuedCommand): Reply {
  if (isAccountDeleted(run, command)) return replyTo(command, accountDeleted);
  const context = contextOf(run, command);
  const reply = answer(run, context, command);
  logReply(context, command, reply);
  return statesDay(command) ? { ...reply, today: context.today } : reply;
}

/** What is tried again at once, in smaller parts, has not ended yet. */
export function logReply(context: HandlerContext, command: QueuedCommand, reply: Reply): void {
  if (!isRefusedAs("overloaded", reply.outcome)) logAction(context, command, reply);
}

/** A tool call's answer states the user's day of this call, also when it repeats an earlier one. */
const statesDay = ({ call, name }: QueuedCommand): boolean => isToolCall(call) || name === "action.record";

export const replyTo = ({ ticket }: QueuedCommand, outcome: Outcome, replayed = false): Reply => ({
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
  const replay = replayOf(run, command);
  if (replay) return replay;
  const applied = run.late.get(command);
  if (applied) return replyTo(command, unavailable(applied));
  const handler = handlerOf(command.name);
  const result = checkPreconditions(handler, context, command) ?? handler.run(context, command.input);
  const outcome: Outcome = isRefused(result) ? result : { body: result };
  store(run, command, outcome);
  return replyTo(command, outcome);
}

/** @returns the stored reply of a command seen before, which is a refusal where its key was that of another request */
export function replayOf(run: Run, command: QueuedCommand): Reply | undefined {
  const { name, userId, id, fingerprint } = command;
  const seen = handlerOf(name).idempotent ? undefined : ownRows(run.state.inbox, userId).get(id);
  if (!seen) return loggedReply(run, command);
  const sameRequest = seen.fingerprint === (fingerprint ?? "");
  return replyTo(
    command,
    sameRequest ? JSON.parse(seen.reply) : keyTaken(isToolCall(command.call)),
    sameRequest,
  );
}

/** Of a command whose reply was not stored: it was run, and its caller reads what it changed. */
function loggedReply({ state }: Run, command: QueuedCommand): Reply | undefined {
  const { userId, call, readsAgain } = command;
  if (!readsAgain) return undefined;
  const action = ownRows(state.action_log, userId)
    .all()
    .find(({ request_id }) => request_id === call?.requestId);
  if (!action) return undefined;
  const { outcome, resource_id } = action;
  const reply = replyTo(command, unavailable("unknown"), true);
  return outcome === "ok" && resource_id != null ? { ...reply, changedId: resource_id } : reply;
}

/** Stores the reply of a command, as far as a repeat is to get the same one. */
export function store(run: Run, command: QueuedCommand, outcome: Outcome): void {
  if (showsInLog(run, command, outcome) || !isStored(handlerOf(command.name), command, outcome)) return;
  ownRows(run.state.inbox, command.userId).insert(inboxRow(run, command, outcome));
}

/** What a caller corrects and sends again is not stored with its idempotency key, which the next try may use. */
function isStored({ idempotent }: AnyHandler, { fingerprint }: QueuedCommand, outcome: Outcome): boolean {
  const isCorrectable = isRefusedAs("invalid", outcome) || isRefusedAs("precondition_failed", outcome);
  return !idempotent && (fingerprint === null || !isCorrectable);
}

/** A repeat finds the row of the log by the time that the front door noted, if PostgreSQL took that. */
const showsInLog = ({ times }: Run, { readsAgain, call }: QueuedCommand, outcome: Outcome): boolean =>
  readsAgain === true &&
  call !== undefined &&
  "body" in outcome &&
  trustedTime(call.startedAt, times) !== times.now;

function inboxRow({ times }: Run, { id, fingerprint }: QueuedCommand, outcome: Outcome) {
  return {
    command_id: id,
    fingerprint: fingerprint ?? "",
    reply: JSON.stringify(outcome),
    keyed: fingerprint !== null,
    created_at: fingerprint === null ? trustedTime(timeOfUuid(id), times) : times.now,
  };
}

/** What a handler works with: its user's rows, and the times of the transaction. */
export function contextOf(
  { context, state, times, ids, newIds, quotaUses, repeats }: Run,
  command: QueuedCommand,
): HandlerContext {
  const { userId, acceptedAt } = command;
  const recorder = createRecorder(state);
  const rows = <Table extends TableName>(table: Table) =>
    ownRows<Rows[Table]>(state[table] as never, userId, recorder.noteFor(table));
  const users = rows("users");
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
    // Where its row in the log alone shows that a command was run, a second one must be refused.
    mayBeLogged: repeats.has(command) && !command.readsAgain,
    nextId: (table) => newIds?.get(command.id) ?? ids.next(table),
    useQuota: (table) => quotaUses.use({ userId, table }),
    takeChanges: recorder.take,
    discardChanges: recorder.discard,
    checkpoint: () => checkpoint(state),
    users,
    categories: rows("categories"),
    habits: rows("habits"),
    completions: rows("habit_completions"),
    todos: rows("todos"),
    reminders: rows("reminders"),
    deliveries: rows("reminder_deliveries"),
    actions: rows("action_log"),
    get images() {
      return rows("action_images");
    },
    get deletions() {
      return rows("deletions");
    },
    get categoryMembers() {
      return rows("category_members");
    },
    get categoryReturns() {
      return rows("category_returns");
    },
    get habitHistories() {
      return rows("habit_histories");
    },
    get importParts() {
      return rows("import_parts");
    },
    get importKeys() {
      return rows("import_keys");
    },
    get calendarFeeds() {
      return rows("calendar_feeds");
    },
  };
}
