import { openDatabase } from "../../shared/db/orm.ts";
import type { Config } from "../../shared/process/config.ts";
import { newsConnections } from "../../shared/process/connections.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import { createDispatch } from "../mailbox/dispatch.ts";
import { openMailbox } from "../mailbox/mailbox.ts";
import { openServerClock } from "../mailbox/server-clock.ts";
import type { Tell } from "./accounts/outbox.ts";

export type Service = Readonly<{ tell: Tell; close(): Promise<void> }>;

/** Connects to the workers, because only they change what the service stores about a person. */
export async function connectService(config: Config, log: Log): Promise<Service> {
  const { databaseUrl: url, databasePrepare: prepare } = config;
  const database = await openDatabase({ url, log, prepare, connections: newsConnections });
  const [mailbox, clock] = await Promise.all([
    openMailbox(config, database.pool),
    openServerClock(database.pool),
  ]);
  const dispatch = createDispatch(mailbox, database, clock);
  return {
    async tell({ id, userId, name, input }) {
      const { outcome } = await dispatch({ userId }, { name, input, idempotencyKey: `identity ${id}` });
      if (!("refusal" in outcome)) return;
      const { code, message } = outcome.refusal;
      if (code === "overloaded") throw new Error(message);
      // Another attempt would be refused as well, so the news is dropped.
      log.warn({ news: name, reason: message }, "the service refused news of an account");
    },
    async close() {
      await mailbox.close();
      clock.close();
      await database.close();
    },
  };
}
