import { localDay } from "../../../shared/domain/day/day.ts";
import { reachOf } from "../../../shared/domain/reach.ts";
import type { Config } from "../../../shared/process/config.ts";
import type { QueuedCommand } from "../../../shared/queue/batch.ts";
import type { HandlerContext, OwnEffect, OwnTables } from "../../handlers/handler.ts";
import type { BatchTimes } from "../../unit-of-work/batch-times.ts";
import type { ByteLedger } from "../../unit-of-work/bytes/ledger.ts";
import type { NewRows, NumberedTable } from "../../unit-of-work/new-rows.ts";
import { ownRows, rollBack, rowChanges, type State } from "../../unit-of-work/state.ts";
import {
  type EffectName,
  effectNames,
  type Rows,
  type TableName,
  tables,
  views,
} from "../../unit-of-work/tables.ts";

export type AnswerContext = Readonly<{ config: Pick<Config, "defaultTimeZone">; ledger: ByteLedger }>;

/** The data that handlers share in a transaction. */
export type SharedContext = Readonly<{
  context: AnswerContext;
  state: State;
  times: BatchTimes;
  newRows: NewRows;
  /** Commands that may have run before. */
  repeats: ReadonlySet<QueuedCommand>;
  /** The ids by command of what is made, where others refer to it already. */
  newIds?: ReadonlyMap<string, number>;
}>;

/**
 * The user's day of a command, and who its answer is shown to. A command before it may have changed the settings, so
 * the loaded row comes first.
 */
export function dayOf({ context, state, times }: SharedContext, { userId, acceptedAt }: QueuedCommand) {
  const settings = ownRows(state, "users", userId).get() ?? times.users.get(userId);
  const timeZone = settings?.time_zone ?? context.config.defaultTimeZone;
  const dayStartHour = settings?.day_start_hour ?? 0;
  const today = { date: localDay(acceptedAt, timeZone, dayStartHour), timeZone };
  return { today, dayStartHour, viewer: { ...today, reaches: reachOf(settings) } };
}

/** A handler's context: its user's rows, and the times of the transaction. */
export function contextOf(shared: SharedContext, command: QueuedCommand): HandlerContext {
  const { state, times, newRows, newIds, repeats } = shared;
  const { userId, acceptedAt } = command;
  const { changes } = state;
  let taken = changes.length;
  return Object.assign(ownTables(state, userId), {
    acceptedAt,
    now: times.now,
    nowMs: times.nowMs,
    ...dayOf(shared, command),
    // A second command must be refused if only its row in the log shows that it was run.
    mayBeLogged: repeats.has(command) && !command.readsAgain,
    nextId: (table: NumberedTable) => newIds?.get(command.id) ?? newRows.nextId(table),
    useQuota: (table: NumberedTable) => newRows.useQuota({ userId, table }),
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

type Owner = Readonly<{ state: State; userId: string }>;

function ownEffect<Name extends EffectName>({ state, userId }: Owner, name: Name): OwnEffect<Rows[Name]> {
  const { insert: push, remove, isKnown, get, all } = ownRows(state, name, userId);
  return { push, get, all, drop: (key) => isKnown(key) && remove(key) };
}

/** A handler uses few of them, so each is made when it is asked for. */
const getters: PropertyDescriptorMap = {};
const named: Readonly<Record<string, Readonly<{ as?: string; [other: string]: unknown }>>> = {
  ...tables,
  ...views,
};
for (const [name, { as }] of Object.entries(named))
  if (as)
    getters[as] = {
      get(this: Owner) {
        return ownRows(this.state, name as TableName, this.userId);
      },
    };
for (const name of effectNames)
  getters[name] = {
    get(this: Owner) {
      return ownEffect(this, name);
    },
  };
const prototype = Object.defineProperties({}, getters);

export const ownTables = (state: State, userId: string): OwnTables =>
  Object.assign(Object.create(prototype), { state, userId });
