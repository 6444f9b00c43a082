import type { Pool, PoolClient } from "pg";
import type { Config } from "../shared/config.ts";
import { localDay } from "../shared/domain/day.ts";
import { type FieldErrors, invalid, isRefused } from "../shared/errors.ts";
import type { Outcome, QueuedCommand, Reply } from "../shared/queue/envelope.ts";
import { outcomeCode, recordCall } from "./action-log.ts";
import type { Context } from "./handler.ts";
import { handlerOf } from "./handlers/index.ts";
import { needsOf } from "./needs.ts";
import type { ReservedIds, ReserveIds } from "./unit-of-work/ids.ts";
import { load, needId, type UserNeed } from "./unit-of-work/load.ts";
import { save } from "./unit-of-work/save.ts";
import { emptyState, ownRows, type State } from "./unit-of-work/state.ts";
import type { Tables } from "./unit-of-work/tables.ts";

export type TransactionContext = Readonly<{
  pool: Pool;
  tables: Tables;
  reserveIds: ReserveIds;
  config: Pick<Config, "defaultTimeZone">;
}>;

export type Folded = Readonly<{
  replies: readonly Reply[];
  /** Commands on rows that another transaction holds; untouched. */
  busy: readonly QueuedCommand[];
}>;

/** Thrown when a transaction failed. `commitSent`: it may have been applied all the same. */
export class TransactionFailed extends Error {
  constructor(
    override readonly cause: unknown,
    readonly commitSent: boolean,
  ) {
    super("transaction failed", { cause });
  }
}

/**
 * Folds commands into one transaction: load and lock what they need, run their handlers in order on the
 * state that the earlier ones left, write all changes with the stored replies, commit.
 * @param stepAside leave out commands on rows that are held elsewhere, instead of waiting for them
 * @throws TransactionFailed; then nothing was applied, unless `commitSent`
 */
export async function fold(
  context: TransactionContext,
  commands: readonly QueuedCommand[],
  stepAside: boolean,
): Promise<Folded> {
  let commitSent = false;
  let client: PoolClient | undefined;
  let ids: ReservedIds | undefined;
  try {
    ids = await context.reserveIds(commands.length);
    client = await context.pool.connect();
    const { state, now, busy } = await begin(context, client, commands, stepAside);
    const free = commands.filter((command) => !needsOf(command).some((need) => busy.has(needId(need))));
    const replies = runAll({ context, state, now, ids }, free);
    commitSent = true;
    await Promise.all([...save(client, context.tables, state), client.query("commit")]);
    client.release();
    return { replies, busy: commands.filter((command) => !free.includes(command)) };
  } catch (error) {
    await abandon(client, error);
    throw new TransactionFailed(error, commitSent && !isDatabaseError(error));
  } finally {
    ids?.giveBack();
  }
}

/** An answer of Postgres, as against a connection that broke. */
export function isDatabaseError(error: unknown): error is Error & { code: string; severity: string } {
  return error instanceof Error && "severity" in error && error.severity === "ERROR";
}

async function abandon(client: PoolClient | undefined, error: unknown): Promise<void> {
  if (!client) return;
  if (!isDatabaseError(error)) return client.release(true);
  const rolledBack = await client.query("rollback").then(
    () => true,
    () => false,
  );
  client.release(!rolledBack);
}

type Begun = { state: State; now: string; busy: ReadonlySet<string> };

async function begin(
  { tables }: TransactionContext,
  client: PoolClient,
  commands: readonly QueuedCommand[],
  stepAside: boolean,
): Promise<Begun> {
  const state = emptyState(tables);
  const [, { rows }, busy] = await Promise.all([
    client.query("begin"),
    client.query<{ now: string }>("select now() as now"),
    load(client, tables, state, commands.flatMap(needsOf), stepAside),
  ]);
  await load(client, tables, state, relatedNeeds(state), false);
  return { state, now: rows[0]?.now ?? "", busy };
}

/** What the loaded rows point at: their categories, and the successors of recurring todos. */
function relatedNeeds(state: State): UserNeed[] {
  const rowsOf = [...state.habits.entries.values(), ...state.todos.entries.values()];
  const categories = rowsOf.flatMap(({ row }): UserNeed[] =>
    row?.category_id == null || isLoaded(state, row.user_id, row.category_id)
      ? []
      : [{ table: "categories", userId: row.user_id, key: row.category_id, mode: "see" }],
  );
  const successors = [...state.todos.entries.values()].flatMap(({ row }): UserNeed[] =>
    row?.next_todo_id == null
      ? []
      : [{ table: "todos", userId: row.user_id, key: row.next_todo_id, mode: "wait" }],
  );
  return [...categories, ...successors];
}

const isLoaded = (state: State, userId: string, categoryId: number): boolean =>
  ownRows(state.categories, userId).get(categoryId) !== undefined;

type Run = Readonly<{ context: TransactionContext; state: State; now: string; ids: ReservedIds }>;

function runAll(run: Run, commands: readonly QueuedCommand[]): Reply[] {
  return commands.map((command) => {
    const context = contextOf(run, command);
    const reply = answer(run, context, command);
    const { call } = command;
    if (call) recordCall(context, call, { outcome: outcomeCode(reply.outcome), replayed: reply.replayed });
    return reply;
  });
}

/** The stored reply of a command seen before, else the handler's, stored for the next time. */
function answer({ state, now }: Run, context: Context, command: QueuedCommand): Reply {
  const handler = handlerOf(command.name);
  const inbox = ownRows(state.inbox, command.userId);
  const seen = handler.repeatable ? undefined : inbox.get(command.id);
  if (seen) {
    const sameRequest = seen.fingerprint === (command.fingerprint ?? "");
    const outcome = sameRequest ? (JSON.parse(seen.reply) as Outcome) : invalid(keyTaken);
    return { ticket: command.ticket, outcome, replayed: sameRequest };
  }
  const result = handler.run(context, command.input as never);
  const outcome: Outcome = isRefused(result)
    ? result
    : { body: result === null ? null : JSON.stringify(result) };
  // A 422 changes nothing and is not kept, so that the corrected retry may use its key.
  const kept = !handler.repeatable && !("refusal" in outcome && outcome.refusal.code === "invalid");
  if (kept) {
    const { id: command_id, fingerprint } = command;
    inbox.insert({
      command_id,
      fingerprint: fingerprint ?? "",
      reply: JSON.stringify(outcome),
      created_at: now,
    });
  }
  return { ticket: command.ticket, outcome, replayed: false };
}

const keyTaken: FieldErrors = {
  "Idempotency-Key": ["The idempotency key was already used for a different request; use a new key."],
};

function contextOf({ context, state, now, ids }: Run, { userId, acceptedAt }: QueuedCommand): Context {
  const user = ownRows(state.users, userId).get();
  const timeZone = user?.time_zone ?? context.config.defaultTimeZone;
  const dayStartHour = user?.day_start_hour ?? 0;
  return {
    acceptedAt,
    now,
    today: { date: localDay(acceptedAt, timeZone, dayStartHour), timeZone },
    dayStartHour,
    nextId: ids.next,
    users: ownRows(state.users, userId),
    categories: ownRows(state.categories, userId),
    habits: ownRows(state.habits, userId),
    completions: ownRows(state.habit_completions, userId),
    todos: ownRows(state.todos, userId),
    reminders: ownRows(state.reminders, userId),
    actions: ownRows(state.action_log, userId),
    inbox: ownRows(state.inbox, userId),
  };
}
