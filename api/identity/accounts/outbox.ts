import type { Pool } from "pg";
import type { Log } from "../../../shared/process/log.ts";

/** A change of an account that the service has to carry out as well; `name` is a command of the service. */
export type News = Readonly<{
  id: string;
  userId: string;
  name: "user.delete" | "user.end-sessions" | "user.configure";
  input: Readonly<{ email?: string | null }>;
}>;

/** Sends news to the service. Rejects when that is not possible now; the same news may be sent again. */
export type Tell = (news: News) => Promise<void>;

/** Sends the service all news that is left. Resolves to false when some has to wait for a later attempt. */
export type DeliverNews = () => Promise<boolean>;

/**
 * News is stored by the statement that changes the account and stays until the service has taken it, so that a new
 * password or a deletion takes effect everywhere even if the queue is down at that moment.
 */
export function createDelivery(pool: Pool, log: Log, tell: Tell): DeliverNews {
  return async () => {
    const { rows } = await pool.query<News>(
      `select id::text, user_id as "userId", name, input from identity.outbox order by outbox.id limit 100`,
    );
    let isHeard = true;
    for (const news of rows) {
      try {
        await tell(news);
        await pool.query(`delete from identity.outbox where id = $1`, [news.id]);
      } catch (error) {
        isHeard = false;
        log.warn({ news: news.name, reason: String(error) }, "the service could not be told of an account");
      }
    }
    return isHeard;
  };
}

/** Stores news that comes with no change of the account's row. */
async function addNews(pool: Pool, { userId, name, input }: Omit<News, "id">): Promise<void> {
  await pool.query(`insert into identity.outbox (user_id, name, input) values ($1, $2, $3)`, [
    userId,
    name,
    JSON.stringify(input),
  ]);
}

/** Ends the sessions of the account pages too: one sign-out is enough, wherever it is asked for. */
export async function endServiceSessions(
  { pool, deliverNews }: Readonly<{ pool: Pool; deliverNews: DeliverNews }>,
  userId: string,
): Promise<void> {
  await addNews(pool, { userId, name: "user.end-sessions", input: {} });
  await deliverNews();
}
