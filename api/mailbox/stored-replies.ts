import type { Database } from "../../shared/db/orm.ts";
import { ofUsers, waitForStandbys } from "../../shared/db/statements/statements.ts";
import { localDay, type Today } from "../../shared/domain/day/day.ts";
import { isToolCall, type QueuedCommand } from "../../shared/queue/batch.ts";

type StoredReply = Readonly<{
  id: string;
  fingerprint: string;
  reply: string;
  /** True if it was stored before the command was sent, so that it is a replay. */
  before: boolean;
  /** The user's settings of the day; null where the user has none. */
  time_zone: string | null;
  day_start_hour: number | null;
  /** The same flag in the row of the tool call; null without one. */
  replayed: boolean | null;
}>;

export type StoredReplies = ReadonlyMap<string, StoredReply>;

export type Inbox = Pick<Database, "pool">;

/** The user's day at that instant, by the settings that came with a reply. */
export const dateNowBy =
  ({ time_zone, day_start_hour }: StoredReply, acceptedAt: number) =>
  ({ timeZone }: Today): string =>
    localDay(acceptedAt, time_zone ?? timeZone, day_start_hour ?? 0);

const timeoutMs = 400;

const statement = `
  select i.command_id as id, i.fingerprint, i.reply, a.replayed, u.time_zone, u.day_start_hour,
    i.keyed and i.created_at < to_timestamp($4 / 1000.0) as before
  from inbox i left join users u on u.user_id = i.user_id
    left join action_log a on a.user_id = i.user_id and a.request_id = $3 and a.called_at = $5::timestamptz
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

async function lookUp({ pool }: Inbox, userId: string, values: unknown[]): Promise<StoredReply[]> {
  const { rows } = await pool.query<StoredReply>(ofUsers({ text: statement, values }, [userId]));
  if (rows.length === 0) return rows;
  await pool.query(waitForStandbys);
  return rows;
}
