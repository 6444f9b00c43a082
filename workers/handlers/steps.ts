import type { CommandName, Commands, InputOf, OutputOf } from "../../shared/contracts/catalogue.ts";
import type { ApprovalRow } from "../../shared/db/entities.ts";
import type { Refused } from "../../shared/errors.ts";
import type { Outcome } from "../../shared/queue/batch.ts";
import type { Queryable } from "../unit-of-work/connection.ts";

/**
 * Long work takes more than one transaction of about 50 ms. The handler of a command declares `steps`, and its
 * `run` calls `beginWork`. The first step is part of the command's transaction. If it is not the last, a row of
 * `works` is committed with it, the command is answered, and workers carry out the next steps. Each step is one
 * transaction with its progress, so it happens once, and any worker continues after a crash. It takes as many parts as
 * fit into 50 ms.
 * Between steps anything may happen, except other long work and slow commands of the same user. So each step leaves
 * valid rows, and expects any rows.
 */
export type Steps = Readonly<{
  /** Carries out the next part: at most about a thousand rows, in some milliseconds. */
  part(context: StepContext): Promise<Step>;
  /** Counts the rest, to show people the progress. It is called once, after the first step. */
  left(context: StepContext): Promise<number>;
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

export type StepContext = Readonly<{
  /** The connection of the step's transaction. */
  connection: Queryable;
  userId: string;
  /** The input of `beginWork`. */
  input: unknown;
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
