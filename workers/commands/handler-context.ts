import { localDay } from "../../shared/domain/day.ts";
import { reachOf } from "../../shared/domain/reach.ts";
import type { Config } from "../../shared/process/config.ts";
import type { QueuedCommand } from "../../shared/queue/batch.ts";
import type { HandlerContext } from "../handlers/handler.ts";
import { createRecorder } from "../unit-of-work/recorder.ts";
import { checkpoint, ownRows } from "../unit-of-work/state.ts";
import type { Rows, TableName } from "../unit-of-work/table.ts";
import type { Begun } from "./begin.ts";

export type AnswerContext = Readonly<{ config: Pick<Config, "defaultTimeZone"> }>;

/** A transaction under way; `newIds` has the ids by command of what is made, where others refer to it already. */
export type Run = Begun & Readonly<{ context: AnswerContext; newIds?: ReadonlyMap<string, number> }>;

/**
 * The user's day of a command, and who its answer is shown to. A command before it may have changed the settings, so
 * the loaded row comes first.
 */
export function dayOf({ context, state, times }: Run, { userId, acceptedAt }: QueuedCommand) {
  const settings = ownRows(state.users, userId).get() ?? times.settings.get(userId);
  const timeZone = settings?.time_zone ?? context.config.defaultTimeZone;
  const dayStartHour = settings?.day_start_hour ?? 0;
  const today = { date: localDay(acceptedAt, timeZone, dayStartHour), timeZone };
  return { today, dayStartHour, viewer: { ...today, reaches: reachOf(settings) } };
}

/** A handler's context: its user's rows, and the times of the transaction. */
export function contextOf(run: Run, command: QueuedCommand): HandlerContext {
  const { state, times, ids, newIds, quotaUses, repeats } = run;
  const { userId, acceptedAt } = command;
  const recorder = createRecorder(state);
  const rows = <Table extends TableName>(table: Table) =>
    ownRows<Rows[Table]>(state[table] as never, userId, recorder.noteFor(table));
  return {
    acceptedAt,
    now: times.now,
    nowMs: times.nowMs,
    ...dayOf(run, command),
    // A second command must be refused if only its row in the log shows that it was run.
    mayBeLogged: repeats.has(command) && !command.readsAgain,
    nextId: (table) => newIds?.get(command.id) ?? ids.next(table),
    useQuota: (table) => quotaUses.use({ userId, table }),
    takeChanges: recorder.take,
    discardChanges: recorder.discard,
    checkpoint: () => checkpoint(state),
    users: rows("users"),
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
    get habitReturns() {
      return rows("habit_returns");
    },
    get deletedCompletions() {
      return rows("deleted_completions");
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
    get works() {
      return rows("works");
    },
  };
}
