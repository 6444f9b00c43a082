import type { Database } from "../../db/orm.ts";
import { waitForStandbys } from "../../db/wait-for-standbys.ts";
import { isToolCall, type QueuedCommand } from "../batch.ts";

/** The reply to a command as the inbox has it. */
type StoredReply = Readonly<{
  id: string;
  fingerprint: string;
  reply: string;
  /** Whether it was there before the command was sent, so that it is a replay. */
  before: boolean;
  /** What the row of the tool call says of that; null without such a row. */
  replayed: boolean | null;
}>;

export type StoredReplies = ReadonlyMap<string, StoredReply>;

/** Where replies are stored, and what has to be done before one that is found there may be answered. */
export type Inbox = Pick<Database, "pool"> & Readonly<{ onFound?(userId: string): Promise<void> }>;

const timeoutMs = 400;

const statement = `
  select i.command_id as id, i.fingerprint, i.reply, a.replayed,
    i.keyed and i.created_at < to_timestamp($4 / 1000.0) as before
  from inbox i left join action_log a on a.user_id = i.user_id and a.request_id = $3 and a.called_at = $5::timestamptz
  where i.user_id = $1 and i.command_id = any($2::uuid[])`;

/**
 * Looks up the replies to commands whose answer was lost on its way: what is committed is in the inbox.
 * @returns those found by the commands' ids; none when the database does not answer in time
 */
export async function findStoredReplies(
  inbox: Inbox,
  ids: readonly string[],
  { userId, sentAt, call }: Pick<QueuedCommand, "userId" | "sentAt" | "call">,
): Promise<StoredReplies> {
  const toolCall = isToolCall(call) ? call : undefined;
  const calledAt = toolCall ? new Date(toolCall.startedAt).toISOString() : null;
  const values = [userId, ids, toolCall?.requestId ?? null, sentAt, calledAt];
  const found = lookUp(inbox, userId, values).catch(() => []);
  const rows = await Promise.race([found, Bun.sleep(timeoutMs).then(() => [])]);
  return new Map(rows.map((row) => [row.id, row]));
}

async function lookUp({ pool, onFound }: Inbox, userId: string, values: unknown[]): Promise<StoredReply[]> {
  const { rows } = await pool.query<StoredReply>(statement, values);
  if (rows.length === 0) return rows;
  await pool.query(waitForStandbys);
  await onFound?.(userId);
  return rows;
}
