import type { Actor } from "../../actor.ts";
import type { CommandName } from "../../contracts/catalogue.ts";
import type { Database } from "../../db/orm.ts";
import type { ServerClock } from "../../db/server-clock.ts";
import type { Preconditions } from "../../domain/preconditions.ts";
import { printable } from "../../domain/printable.ts";
import type { Today } from "../../domain/today.ts";
import type { Door } from "../../domain/vocabulary.ts";
import { keyTaken, unavailable } from "../../errors.ts";
import { type Call, isToolCall, type Outcome, type QueuedCommand } from "../batch.ts";
import { fingerprintOf, keyedId } from "../command-id.ts";
import type { Mailbox } from "./mailbox.ts";

/** Who sends a command by REST or from a page, for the action log. */
export type Sender = Readonly<{ door: Door; tokenId: string; clientName: string | null }>;

type CommandRequest = Readonly<{
  name: CommandName;
  /** Validated against the command's contract. */
  input: unknown;
  idempotencyKey?: string | undefined;
  /** The tool call that it came by. */
  call?: Call;
  by?: Sender | undefined;
  preconditions?: Preconditions | undefined;
}>;

export type CommandResult = Readonly<{
  outcome: Outcome;
  replayed: boolean;
  /** The user's day, where a worker answered a tool call. */
  today?: Today | undefined;
}>;

/** Sends a mutation to the workers. Answers when its outcome is committed, or with a 503 that says whether it may be. */
export type Dispatch = (actor: Pick<Actor, "userId">, request: CommandRequest) => Promise<CommandResult>;

/** @param now dates the commands and so decides the user's day; whether a command is late is decided by `clock` */
export function createDispatch(
  mailbox: Mailbox,
  database: Database,
  clock: ServerClock,
  now: () => number = clock.now,
): Dispatch {
  return async ({ userId }, { name, input, idempotencyKey, by, preconditions, ...request }) => {
    if (!clock.known()) return { outcome: unavailable("no"), replayed: false };
    const keyed = idempotencyKey !== undefined;
    const times = { acceptedAt: now(), sentAt: clock.now() };
    const id = keyed ? keyedId(userId, idempotencyKey) : Bun.randomUUIDv7("hex", Math.floor(times.sentAt));
    const fingerprint = keyed ? fingerprintOf(name, input) : null;
    const call = request.call ?? (by && callOf(by, name, times.acceptedAt));
    const command = {
      ...{ id, userId, name, input, fingerprint, ...times },
      ...(call && { call }),
      ...(preconditions && { preconditions }),
    };
    const result = await mailbox.send(command);
    if (result === "undelivered") return { outcome: unavailable("no"), replayed: false };
    if (result !== "unanswered") return result;
    return (await committed(database, command)) ?? { outcome: unavailable("unknown"), replayed: false };
  };
}

/** @param startedAt epoch ms */
export const callOf = (
  { door, tokenId, clientName }: Sender,
  tool: CommandName,
  startedAt: number,
): Call => ({
  requestId: Bun.randomUUIDv7(),
  door,
  tokenId,
  clientName: clientName === null ? null : printable(clientName),
  tool,
  arguments: "{}",
  startedAt,
});

const lookupTimeoutMs = 400;

const lookup = `
  select i.fingerprint, i.reply, a.replayed, i.keyed and i.created_at < to_timestamp($4 / 1000.0) as before
  from inbox i left join action_log a on a.user_id = i.user_id and a.request_id = $3 and a.called_at = $5::timestamptz
  where i.user_id = $1 and i.command_id = $2`;

type Stored = { fingerprint: string; reply: string; replayed: boolean | null; before: boolean };

/**
 * Looks up a reply that was lost on its way. A committed reply is in the inbox, and is a replay when it was there
 * before this command was sent. For a tool call its own row decides, which also has whether it was a replay.
 * @returns undefined when nothing is committed, or the database does not answer in time
 */
async function committed(
  { pool }: Database,
  { userId, id, fingerprint, sentAt, call }: Omit<QueuedCommand, "ticket">,
): Promise<CommandResult | undefined> {
  const toolCall = isToolCall(call) ? call : undefined;
  const calledAt = toolCall ? new Date(toolCall.startedAt).toISOString() : null;
  const values = [userId, id, toolCall?.requestId ?? null, sentAt, calledAt];
  const found = lookUp(pool, values).catch(() => undefined);
  const row = await Promise.race([found, Bun.sleep(lookupTimeoutMs)]);
  if (!row || (toolCall && row.replayed === null)) return undefined;
  if (row.fingerprint !== (fingerprint ?? ""))
    return { outcome: keyTaken(toolCall !== undefined), replayed: false };
  const outcome: Outcome = JSON.parse(row.reply);
  return { outcome, replayed: row.replayed ?? row.before };
}

/** What is found may not have reached the synchronous standbys yet, if PostgreSQL was started anew; a standby's own has. */
export const waitForStandbys = `
  select case when not pg_is_in_recovery() then pg_logical_emit_message(true, 'kept', '') end`;

async function lookUp(pool: Pick<Database["pool"], "query">, values: unknown[]): Promise<Stored | undefined> {
  const { rows } = await pool.query<Stored>(lookup, values);
  if (rows[0]) await pool.query(waitForStandbys);
  return rows[0];
}
