import { openDatabase } from "../../shared/db/orm.ts";
import { openServerClock } from "../../shared/db/server-clock.ts";
import { runRole } from "../../shared/role.ts";
import { createDispatch } from "../dispatch.ts";
import { openMailbox } from "../mailbox.ts";
import { startIdentity } from "./start.ts";

/** The provider owns accounts; what the service holds of a person is deleted by the workers, like any change. */
await runRole("identity", async ({ config, log }) => {
  const mailbox = await openMailbox(config);
  const database = await openDatabase({ url: config.databaseUrl, log, connections: 2 });
  const clock = await openServerClock(database.pool);
  const dispatch = createDispatch(mailbox, database, clock);
  const role = await startIdentity({ config, log }, async (userId) => {
    const { outcome } = await dispatch({ userId }, { name: "user.delete", input: {} });
    if ("refusal" in outcome) throw new Error(outcome.refusal.message);
  });
  return {
    ...role,
    async stop() {
      await role.stop();
      await mailbox.close();
      clock.close();
      await database.close();
    },
  };
});
