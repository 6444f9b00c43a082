import type { CommandName, Commands, InputOf, OutputOf } from "../../shared/contracts/catalogue.ts";
import type { ApprovalRow } from "../../shared/db/entities.ts";
import type { RowChange } from "../../shared/domain/action/images.ts";
import type { Today } from "../../shared/domain/day/day.ts";
import type { Viewer } from "../../shared/domain/reach.ts";
import type { Refused } from "../../shared/errors.ts";
import type { Outcome } from "../../shared/queue/batch.ts";
import type { Queryable } from "../unit-of-work/connection.ts";
import type { NumberedTable } from "../unit-of-work/new-rows.ts";
import type { RowRequest } from "../unit-of-work/row-request.ts";
import type { OwnRows } from "../unit-of-work/state.ts";
import type { EffectName, Rows, TableName, tables, ViewName, views } from "../unit-of-work/tables.ts";
import type { Stores } from "../upkeep/account-bytes.ts";

type NameOf<Spec> = Spec extends { as: infer As extends string } ? As : never;

/** All rows of the calling user that a handler may see, as earlier commands left them. */
export type OwnTables = Readonly<
  { [Name in TableName as NameOf<(typeof tables)[Name]>]: OwnRows<Rows[Name]> } & {
    [Name in ViewName as NameOf<(typeof views)[Name]>]: Pick<OwnRows<Rows[Name]>, "get">;
  } & { [Name in EffectName]: Pick<OwnRows<Rows[Name]>, "insert"> }
>;

/** Everything that a handler may read and change. */
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
    isRepeat: boolean;
    /** @returns the changes of visible rows since the last call, for the action log */
    takeChanges(): RowChange[];
    /** Undoes the changes since the last call. */
    discardChanges(): void;
    nextId(table: NumberedTable): number;
    /** Counts one more row against the user's quota. @returns a refusal when the quota is used up */
    useQuota(table: NumberedTable): Refused | undefined;
    /** Tells that so much text is stored beside the rows. */
    noteLong(length: number): void;
    /** @returns the refusal of what stores more in a full account */
    refuseFull(stores: Stores): Refused | undefined;
  }>;

/** Rows to which loaded ones refer, and the table of each row that the handler may make from them. */
export type Related = Readonly<{ rows: readonly RowRequest[]; makes?: readonly NumberedTable[] | undefined }>;

/** One command's rule: pure and synchronous, on rows already loaded and locked. Refusals are values. */
export type Handler<Name extends CommandName> = HandlerOf<InputOf<Commands[Name]>, OutputOf<Commands[Name]>>;

/** The handler of any command. The front door has checked that the input fits the command's name. */
export type AnyHandler = HandlerOf<unknown, object | null>;

type HandlerOf<Input, Output> = Readonly<{
  /** Rows that the input names, for a command accepted at that time (epoch ms). */
  rows?(input: Input, acceptedAt: number): readonly RowRequest[];
  /** Further rows, asked for when the first ones are loaded. */
  related?(loaded: OwnTables, input: Input): Related;
  /** The table of the row that it makes. */
  makes?: NumberedTable;
  /** The table of a row that the handler makes if earlier commands left a need for it. */
  mayMake?: NumberedTable;
  /** Set if a full account refuses the command. */
  stores?: Stores;
  run(context: HandlerContext, input: Input): Output | Refused;
  /**
   * The resource for a request's preconditions, as shown before the command runs: null if there is none, undefined
   * if the command is refused because something else is missing.
   */
  current?(context: HandlerContext, input: Input): object | null | undefined;
  /** Running it twice has the same effect as once, so the inbox needs no reply of it. */
  idempotent?: boolean;
  /** Long work that the command began (`beginWork`). */
  steps?: Steps;
  /** Work that is too much for one transaction. It follows the transaction, before the command is answered. */
  followUp?(connection: Queryable, userId: string, input: Input): Promise<void>;
}>;

/**
 * Long work takes more than one transaction of about 50 ms. The handler of a command declares `steps`, and its
 * `run` calls `beginWork`. The first step is part of the command's transaction. If it is not the last, a row of
 * `works` is committed with it, the command is answered, and workers carry out the next steps. Each step is one
 * transaction with its progress, so it happens once, and any worker continues after a crash. It takes as many parts as
 * fit into 50 ms.
 * Between steps anything may happen, except other long work and slow commands of the same user. So each step leaves
 * valid rows, and expects any rows.
 */
export type Steps<Input = unknown> = Readonly<{
  /** Carries out the next part: at most about a thousand rows, in some milliseconds. */
  part(context: StepContext<Input>): Promise<Step>;
  /** Counts the rest, to show people the progress. It is called once, after the first step. */
  left(context: StepContext<Input>): Promise<number>;
}>;

/** A finished part of the work, or a step of several parts. */
export type Step = Readonly<{
  /** The number of done ones among those that `left` counted. */
  done: number;
  /** The place at which the next step begins, as any text; null at the end. */
  cursor: string | null;
  /** The outcome of the whole, at the end; its row is kept for a day. */
  outcome?: object;
}>;

export type StepContext<Input = unknown> = Readonly<{
  connection: Queryable;
  userId: string;
  input: Input;
  /** The cursor of the step before; null for the first one. */
  cursor: string | null;
  /** Runs the handler of a command in this transaction. Neither the action log nor the inbox gets a row for it. */
  perform<Name extends CommandName>(
    name: Name,
    input: InputOf<Commands[Name]>,
  ): Promise<OutputOf<Commands[Name]> | Refused>;
  /**
   * Carries out an approved request in this transaction, as its caller's act with its row in the log.
   * @returns undefined if a row that it changes is not as it was when it was asked for; then nothing is changed
   */
  carryOut(approval: ApprovalRow): Promise<Outcome | undefined>;
}>;

/** @param rows the part of a statement from its first table on */
export async function countRows(
  { connection }: Pick<StepContext, "connection">,
  rows: string,
  values: unknown[],
): Promise<number> {
  const found = await connection.query<{ count: number }>(`select count(*)::int as count ${rows}`, values);
  return found.rows[0]?.count ?? 0;
}

/** Begins long work with the steps of the handler of `name`. @returns its id */
export function beginWork({ works, now }: HandlerContext, name: CommandName, input: object): string {
  const id = Bun.randomUUIDv7();
  works.insert({
    ...{ id, name, input: JSON.stringify(input), cursor: null, done: 0, tries: 0, total: 0 },
    ...{ outcome: null, created_at: now, ended_at: null },
  });
  return id;
}
