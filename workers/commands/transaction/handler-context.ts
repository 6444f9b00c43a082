import { importer, storedAuthor } from "../../../shared/domain/author.ts";
import { viewerAt } from "../../../shared/domain/reach.ts";
import type { Config } from "../../../shared/process/config.ts";
import type { QueuedCommand } from "../../../shared/queue/batch.ts";
import { withRings } from "../../handlers/habit/habit.ts";
import type { HandlerContext, OwnTables } from "../../handlers/handler.ts";
import type { BatchTimes } from "../../unit-of-work/connection.ts";
import type { NewRows, NumberedTable } from "../../unit-of-work/new-rows.ts";
import { ownRows, rollBack, rowChanges, type State } from "../../unit-of-work/state.ts";
import { effects, type TableName, tables, views } from "../../unit-of-work/tables.ts";
import type { AccountBytes, Stores } from "../../upkeep/account-bytes.ts";

export type AnswerContext = Readonly<{
  config: Pick<Config, "defaultTimeZone" | "baseUrl">;
  accountBytes: AccountBytes;
}>;

/** The data that handlers share in a transaction. */
export type SharedContext = Readonly<{
  context: AnswerContext;
  state: State;
  times: BatchTimes;
  newRows: NewRows;
  /** Commands that may have run before. */
  repeats: ReadonlySet<QueuedCommand>;
  /** Ids of new rows by command, if other operations refer to them already. */
  newIds?: ReadonlyMap<string, number>;
}>;

/** @returns a function that throws away all that commands did since */
export function discarding({ state, newRows }: Pick<SharedContext, "state" | "newRows">): () => void {
  const count = state.changes.length;
  const restoreQuotas = newRows.checkpoint();
  return () => {
    rollBack(state, count);
    restoreQuotas();
  };
}

/**
 * The user's day of a command, and the viewer of its answer. An earlier command may have changed the settings, so
 * the loaded row comes first.
 */
export function dayOf({ context, state, times }: SharedContext, { userId, acceptedAt, call }: QueuedCommand) {
  const settings = ownRows(state, "users", userId).get() ?? times.users.get(userId);
  const reader = { tokenId: call?.tokenId ?? "", name: call?.clientName ?? null };
  const viewer = viewerAt(acceptedAt, settings ?? {}, context.config, reader);
  const { date, timeZone } = viewer;
  return { today: { date, timeZone }, dayStartHour: settings?.day_start_hour ?? 0, viewer };
}

export function contextOf(shared: SharedContext, command: QueuedCommand): HandlerContext {
  const { context, state, times, newRows, newIds, repeats } = shared;
  const { userId, acceptedAt } = command;
  let taken = state.changes.length;
  return Object.assign(ownTables(state, userId, authorOf(command)), {
    acceptedAt,
    now: times.now,
    nowMs: times.nowMs,
    ...dayOf(shared, command),
    isRepeat: repeats.has(command),
    nextId: (table: NumberedTable) => newIds?.get(command.id) ?? newRows.nextId(table),
    useQuota: (table: NumberedTable) => newRows.useQuota({ userId, table }),
    noteLong(length: number) {
      if (!command.preview) context.accountBytes.noteLong(userId, length);
    },
    refuseFull: (stores: Stores) => context.accountBytes.refusal(userId, stores),
    takeChanges() {
      const rows = rowChanges(state, taken);
      taken = state.changes.length;
      return rows;
    },
    discardChanges: () => rollBack(state, taken),
  });
}

/** The author of what a command writes; null for the person. */
function authorOf({ name, call }: QueuedCommand): string | null {
  if (call && call.tokenId !== "") return storedAuthor({ tokenId: call.tokenId, name: call.clientName });
  return name.startsWith("import.") ? storedAuthor(importer) : null;
}

type Owner = Readonly<{ state: State; userId: string; author: string | null }>;

/** A handler uses few tables, so each is made on demand. */
const getters: PropertyDescriptorMap = {};
const named: Readonly<Record<string, Readonly<{ as?: string; [other: string]: unknown }>>> = {
  ...tables,
  ...views,
  ...effects,
};
for (const [name, { as = name }] of Object.entries(named))
  getters[as] = {
    get(this: Owner) {
      return ownRows(this.state, name as TableName, this.userId, this.author);
    },
  };
getters.habits = {
  get(this: HandlerContext & Owner) {
    return withRings(ownRows(this.state, "habits", this.userId, this.author), this);
  },
};
const prototype = Object.defineProperties({}, getters);

export const ownTables = (state: State, userId: string, author: string | null = null): OwnTables =>
  Object.assign(Object.create(prototype), { state, userId, author });
