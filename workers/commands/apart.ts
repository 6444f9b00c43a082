import { DatabaseFailure } from "../../shared/db/database-failure.ts";
import { slowConcurrency } from "../../shared/process/connections.ts";
import { createTurns, type Turns } from "../../shared/process/turns.ts";
import type { QueuedGroup } from "../../shared/queue/group.ts";
import { handlers } from "../handlers/index.ts";
import type { HangWatch } from "../process/job-worker.ts";
import { markFailures } from "../unit-of-work/connection.ts";
import type { CommandMetrics } from "./metrics.ts";
import {
  type Answered,
  openGroup,
  operationCommand,
  type ReceivedBatch,
  type ReceivedCommand,
  replyToGroup,
  requestOf,
  type TransactionMode,
} from "./received.ts";
import { type RunContext, turnAway } from "./transaction/retries.ts";
import { runCommands, type TransactionContext } from "./transaction/transaction.ts";

export type ApartContext = RunContext &
  TransactionContext &
  Readonly<{
    watch: Pick<HangWatch, "during">;
    turns: ApartTurns;
    reply(batch: ReceivedBatch, answered: Answered): Promise<unknown>;
    metrics: CommandMetrics;
  }>;

/** Slow commands take turns: a few run at the same time, and never two of one user. */
const createSlowTurns = () => createTurns({ atOnce: slowConcurrency, atOnceOfKey: 1, mostWaiting: 1_000 });

type ApartTurns = ReturnType<typeof createApartTurns>;
export const createApartTurns = () => ({
  slow: createSlowTurns(),
  /** Groups without slow commands wait for no slow command. */
  groups: createSlowTurns(),
  /** Users whose commands wait for held rows, and the retries of all of them. */
  held: createTurns({ atOnce: 1_000, mostWaiting: 0 }),
  retries: createTurns({ atOnce: slowConcurrency }),
});

/** Runs a slow command or a group outside of its batch, in the turn of its user. */
export async function runApart(context: ApartContext, turns: Turns, one: ReceivedCommand): Promise<void> {
  const { userId, group } = one.command;
  const run = () => (group ? runGroup(context, one, group) : runSlow(context, one));
  const refuse = () => context.reply(one.batch, [turnAway(one)]);
  await turns.run(userId, () => context.watch.during("slow commands", run), refuse);
}

/** Retries one user's commands of a batch outside of it, because another transaction has locked their rows. */
export async function runHeld(context: ApartContext, held: readonly ReceivedCommand[]): Promise<void> {
  const [first] = held;
  if (!first) return;
  const run = () => context.watch.during("retries", () => retryHeld(context, held, "skip"));
  const answered = await context.turns.held.run(first.command.userId, run, () => held.map(turnAway));
  await context.reply(first.batch, answered);
}

/** A row is nearly always locked by another batch, which commits within milliseconds. */
const firstPauseMs = 4;
const longestPauseMs = 40;

/**
 * Retries commands on rows that another transaction has locked. They wait here and not inside PostgreSQL, so they hold
 * no connection meanwhile. Late commands are answered, so this always ends.
 */
async function retryHeld(
  context: ApartContext,
  held: readonly ReceivedCommand[],
  mode: TransactionMode,
): Promise<Answered> {
  const answered: Answered[number][] = [];
  let left = held;
  for (let pauseMs = firstPauseMs; left.length > 0; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    await Bun.sleep(pauseMs);
    const endTurn = await context.turns.retries.take(left[0]?.command.userId ?? "");
    const { replies, lockedElsewhere } = await runCommands(context, left, mode);
    endTurn?.();
    answered.push(...replies);
    left = lockedElsewhere;
  }
  return answered;
}

async function runUntilAnswered(
  context: ApartContext,
  received: readonly ReceivedCommand[],
  mode: TransactionMode,
): Promise<Answered> {
  const { replies, lockedElsewhere } = await runCommands(context, received, mode);
  return [...replies, ...(await retryHeld(context, lockedElsewhere, mode))];
}

async function runGroup(context: ApartContext, one: ReceivedCommand, group: QueuedGroup): Promise<void> {
  const operations = group.operations.map((operation) => operationCommand(one, operation));
  const answered = await runUntilAnswered(context, operations, openGroup(group));
  // Replies of operations travel inside the one answer to the group.
  context.metrics.answered(answered);
  await context.reply(one.batch, [[one, replyToGroup(one.command, answered)]]);
}

async function runSlow(context: ApartContext, one: ReceivedCommand): Promise<void> {
  const answered = await runUntilAnswered(context, [one], "wait");
  const { followUp } = handlers[one.command.name];
  const done = answered.every(([, { outcome }]) => "body" in outcome);
  try {
    if (done) await followUp?.(markFailures(context.pool), one.command.userId, one.command.input);
    await context.reply(one.batch, answered);
  } catch (error) {
    reportUnfinished(context, one, error);
    await context.reply(one.batch, [turnAway({ ...one, maybeApplied: true })]);
  }
}

function reportUnfinished({ log }: ApartContext, { command }: ReceivedCommand, error: unknown): void {
  const isFault = !(error instanceof DatabaseFailure);
  const reason = isFault && error instanceof Error ? error.stack : String(isFault ? error : error.cause);
  const request_id = requestOf(command)?.requestId;
  log[isFault ? "error" : "warn"]({ request_id, command: command.name, reason }, "command not finished");
}
