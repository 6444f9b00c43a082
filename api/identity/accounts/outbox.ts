import type { Pool } from "pg";
import type { Log } from "../../../shared/process/log.ts";

/** What the service must hear of an account; its names are those of the service's commands. */
export type News = Readonly<{
  id: string;
  userId: string;
  name: "user.delete" | "user.end-sessions" | "user.configure";
  input: Readonly<{ email?: string | null }>;
}>;

/** Tells the service. Rejects when it cannot be told now; the same news may come again. */
export type Tell = (news: News) => Promise<void>;

/** Tells the service all it has not heard yet. False: some of it has to wait for a later try. */
export type DeliverNews = () => Promise<boolean>;

/**
 * News is stored in the statement that changes the account and stays until the service has heard it: a new password
 * or a deletion counts everywhere, also when the queue is away just then.
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

/** Stores news of an account that changes in no statement of its own. */
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
