import type { CommandName, Commands, InputOf, OutputOf } from "../../shared/contracts/catalogue.ts";
import type { RowChange } from "../../shared/domain/action/images.ts";
import type { Today } from "../../shared/domain/day/today.ts";
import type { Viewer } from "../../shared/domain/reach.ts";
import type { Refused } from "../../shared/errors.ts";
import type { Stores } from "../unit-of-work/bytes/ledger.ts";
import type { Queryable } from "../unit-of-work/connection.ts";
import type { NumberedTable } from "../unit-of-work/new-rows.ts";
import type { RowRequest } from "../unit-of-work/row-request.ts";
import type { OwnRows } from "../unit-of-work/state.ts";
import type { EffectName, Rows, TableName, tables, ViewName, views } from "../unit-of-work/tables.ts";
import type { Steps } from "./steps.ts";

/** An effect as a handler sees it, by the part of its key after the user. */
export type OwnEffect<Row> = Readonly<{
  /** Asks for it, in place of what was asked for under the same key. */
  push(row: Omit<Row, "user_id">): void;
  get(key: string | number): Row | undefined;
  all(): Row[];
  drop(key: string | number): void;
}>;

type NameOf<Spec> = Spec extends { as: infer As extends string } ? As : never;

/** All that a handler sees of the calling user's rows, as the commands before left them. */
export type OwnTables = Readonly<
  { [Name in TableName as NameOf<(typeof tables)[Name]>]: OwnRows<Rows[Name]> } & {
    [Name in ViewName as NameOf<(typeof views)[Name]>]: Pick<OwnRows<Rows[Name]>, "get">;
  } & { [Name in EffectName]: OwnEffect<Rows[Name]> }
>;

/** Everything that a handler may look at and change. */
export type HandlerContext = OwnTables &
  Readonly<{
    /** The time when the front door accepted the command (epoch ms). */
    acceptedAt: number;
    /** The transaction's time, with microseconds. */
    now: string;
    /** PostgreSQL's clock after BEGIN (epoch ms). */
    nowMs: number;
    /** The user's day at `acceptedAt`. */
    today: Today;
    viewer: Viewer;
    dayStartHour: number;
    /** True if the action log may have its row already, because the command may have run before. */
    mayBeLogged: boolean;
    /** @returns the changes of what people can see since it was last asked, for the action log */
    takeChanges(): RowChange[];
    /** Makes the changes since then undone. */
    discardChanges(): void;
    /** @returns a function that undoes all later changes; only for a command that has the transaction for itself */
    checkpoint(): () => void;
    nextId(table: NumberedTable): number;
    /** Counts one more row against the user's quota. @returns a refusal when the quota is used up */
    useQuota(table: NumberedTable): Refused | undefined;
  }>;

/** The tables loaded for a command, which can lead to further rows. */
export type LoadedTables = OwnTables;

/** Rows that loaded ones refer to, and the table of each row that the handler may make from them. */
export type Related = Readonly<{ rows: readonly RowRequest[]; makes?: readonly NumberedTable[] | undefined }>;

/** One command's rule: pure and synchronous, on rows already loaded and locked. Refusals are values. */
export type Handler<Name extends CommandName> = HandlerOf<InputOf<Commands[Name]>, OutputOf<Commands[Name]>>;

/** The handler of any command: its input was checked by the front door, together with the command's name. */
export type AnyHandler = HandlerOf<unknown, object | null>;

export type HandlerOf<Input, Output> = Readonly<{
  /** The rows that its input names, by a command accepted at that time (epoch ms). */
  rows?(input: Input, acceptedAt: number): readonly RowRequest[];
  /** Asked once those are loaded. */
  related?(loaded: LoadedTables, input: Input): Related;
  /** The table in which it makes a row. */
  makes?: NumberedTable;
  /** The number of new rows, if it is not one. */
  count?(input: Input): number;
  /** The table in which it makes a row if the commands before it left what demands one. */
  mayMake?: NumberedTable;
  /** Set where it is refused in a full account. */
  stores?: Stores;
  run(context: HandlerContext, input: Input): Output | Refused;
  /**
   * The resource that a request's preconditions are about, as it is shown before the command runs: null when there is
   * none, undefined when the command is refused for what else is missing.
   */
  current?(context: HandlerContext, input: Input): object | null | undefined;
  /** Running it twice has the effect of running it once, so its reply needs no row in the inbox. */
  idempotent?: boolean;
  /** Long work that the command began (`beginWork`). */
  steps?: Steps;
  /** Work that is too much for one transaction, done after it and before the command is answered. */
  followUp?(connection: Queryable, userId: string, input: Input): Promise<void>;
}>;
