import { localDay } from "../../shared/domain/day.ts";
import { reachOf } from "../../shared/domain/reach.ts";
import type { Config } from "../../shared/process/config.ts";
import type { QueuedCommand } from "../../shared/queue/batch.ts";
import type { HandlerContext } from "../handlers/handler.ts";
import type { NumberedTable } from "../unit-of-work/ids.ts";
import { ownTables } from "../unit-of-work/own-tables.ts";
import { ownRows, rollBack, rowChanges } from "../unit-of-work/state.ts";
import type { Begun } from "./begin.ts";

export type AnswerContext = Readonly<{ config: Pick<Config, "defaultTimeZone"> }>;

/** A transaction under way; `newIds` has the ids by command of what is made, where others refer to it already. */
export type Run = Begun & Readonly<{ context: AnswerContext; newIds?: ReadonlyMap<string, number> }>;

/**
 * The user's day of a command, and who its answer is shown to. A command before it may have changed the settings, so
 * the loaded row comes first.
 */
export function dayOf({ context, state, times }: Run, { userId, acceptedAt }: QueuedCommand) {
  const settings = ownRows(state, "users", userId).get() ?? times.users.get(userId);
  const timeZone = settings?.time_zone ?? context.config.defaultTimeZone;
  const dayStartHour = settings?.day_start_hour ?? 0;
  const today = { date: localDay(acceptedAt, timeZone, dayStartHour), timeZone };
  return { today, dayStartHour, viewer: { ...today, reaches: reachOf(settings) } };
}

/** A handler's context: its user's rows, and the times of the transaction. */
export function contextOf(run: Run, command: QueuedCommand): HandlerContext {
  const { state, times, ids, newIds, quotaUses, repeats } = run;
  const { userId, acceptedAt } = command;
  const { changes } = state;
  let taken = changes.length;
  return Object.assign(ownTables(state, userId), {
    acceptedAt,
    now: times.now,
    nowMs: times.nowMs,
    ...dayOf(run, command),
    // A second command must be refused if only its row in the log shows that it was run.
    mayBeLogged: repeats.has(command) && !command.readsAgain,
    nextId: (table: NumberedTable) => newIds?.get(command.id) ?? ids.next(table),
    useQuota: (table: NumberedTable) => quotaUses.use({ userId, table }),
    takeChanges() {
      const rows = rowChanges(state, taken);
      taken = changes.length;
      return rows;
    },
    discardChanges: () => rollBack(state, taken),
    checkpoint() {
      const count = changes.length;
      return () => {
        rollBack(state, count);
        taken = Math.min(taken, count);
      };
    },
  });
}
