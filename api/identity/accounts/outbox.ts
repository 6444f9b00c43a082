import type { Pool } from "pg";
import type { CommandName } from "../../../shared/contracts/catalogue.ts";
import type { Log } from "../../../shared/process/observe/log.ts";
import type { Dispatch } from "../../mailbox/dispatch.ts";

/** A change of an account that the service must carry out too; `name` is a command of the service. */
export type News = Readonly<{
  id: string;
  userId: string;
  name: CommandName;
  input: object;
}>;

/** Sends news to the service. Rejects when that is not possible now; sending the same news again is safe. */
export type Tell = (news: News) => Promise<void>;

/** Workers alone change what the service stores about a person. */
export const createTell =
  (dispatch: Dispatch, log: Log): Tell =>
  async ({ id, userId, name, input }) => {
    const { outcome } = await dispatch({ userId }, { name, input, idempotencyKey: `identity ${id}` });
    if (!("refusal" in outcome)) return;
    const { code, message } = outcome.refusal;
    if (code === "overloaded") throw new Error(message);
    // Another attempt would be refused as well, so the news is dropped.
    log.warn({ news: name, reason: message }, "the service refused news of an account");
  };

/** Sends the service all waiting news. Resolves to false when some must wait for a later attempt. */
export type DeliverNews = () => Promise<boolean>;

/**
 * The statement that changes the account also stores the news, which stays until the service has taken it. So a new
 * password or a deletion takes effect everywhere, even if the queue is down at that moment.
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
