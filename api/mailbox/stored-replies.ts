import type { Database } from "../../shared/db/orm.ts";
import { ofUsers } from "../../shared/db/statements/statements.ts";
import { waitForStandbys } from "../../shared/db/wait-for-standbys.ts";
import { localDay, type Today } from "../../shared/domain/day/day.ts";
import { isToolCall, type QueuedCommand } from "../../shared/queue/batch.ts";

/** The reply to a command as the inbox has it. */
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

/** The database with the stored replies. */
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
  const rows = await inTime(lookUp<StoredReply>(inbox, userId, statement, values));
  return new Map(rows.map((row) => [row.id, row]));
}

const changeStatement = `
  select resource_id from action_log
  where user_id = $1 and called_at = $2::timestamptz and request_id = $3 and outcome = 'ok'`;

/**
 * Looks up whether a change was made whose reply is not stored.
 * @returns the id of what it changed; undefined when nothing is committed, or the database does not answer in time
 */
export async function findChanged(
  inbox: Inbox,
  { userId, call, readsAgain }: Pick<QueuedCommand, "userId" | "call" | "readsAgain">,
): Promise<number | undefined> {
  if (!readsAgain || !call) return undefined;
  const values = [userId, new Date(call.startedAt).toISOString(), call.requestId];
  const [row] = await inTime(lookUp<{ resource_id: number | null }>(inbox, userId, changeStatement, values));
  return row?.resource_id ?? undefined;
}

const inTime = <Row>(found: Promise<Row[]>): Promise<Row[]> =>
  Promise.race([found.catch(() => []), Bun.sleep(timeoutMs).then(() => [])]);

async function lookUp<Row extends object>(
  { pool }: Inbox,
  userId: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await pool.query<Row>(ofUsers({ text, values }, [userId]));
  if (rows.length === 0) return rows;
  await pool.query(waitForStandbys);
  return rows;
}
