import { type CommandResult, createDispatch } from "../../api/mailbox/dispatch.ts";
import { openMailbox } from "../../api/mailbox/mailbox.ts";
import { openServerClock } from "../../api/mailbox/server-clock.ts";
import type { CommandName } from "../../shared/contracts/catalogue.ts";
import { openDatabase } from "../../shared/db/orm.ts";
import { isRefused } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import { createLog } from "../../shared/process/observe/log.ts";
import type { JsonBody } from "../harness.ts";
import { patiently } from "./patiently.ts";

export type PageDoor = Awaited<ReturnType<typeof openPageDoor>>;
type Place = Readonly<{ config: Config; clock: { now: number | undefined } }>;

/** Sends commands as the account pages do, for any user. */
export async function openPageDoor({ config, clock }: Place, connections?: number) {
  const log = createLog("test", "error");
  const database = await openDatabase({ url: config.databaseUrl, log, ...(connections && { connections }) });
  const [mailbox, serverClock] = await Promise.all([
    openMailbox(config, database.pool),
    openServerClock(database.pool),
  ]);
  const dispatch = createDispatch(mailbox, database, serverClock, () => clock.now ?? Date.now());
  const by = { door: "page", tokenId: "", clientName: null } as const;
  return {
    ...{ database, mailbox, serverClock, dispatch },
    pool: database.pool,
    async close(): Promise<void> {
      await mailbox.close();
      serverClock.close();
      await database.close();
    },
    async send(userId: string, name: CommandName, input: object, preview = false): Promise<JsonBody> {
      // A form has a key, by which an answer that came too late is asked for again.
      const idempotencyKey = preview ? undefined : crypto.randomUUID();
      const ask = () =>
        dispatch(
          { userId },
          { name, input, preview, idempotencyKey, by: { ...by, requestId: Bun.randomUUIDv7() } },
        );
      const isBusy = ({ outcome }: CommandResult) =>
        isRefused(outcome) && outcome.refusal.applied !== undefined;
      const { outcome } = await patiently(ask, isBusy);
      return "body" in outcome ? outcome.body : outcome.refusal;
    },
  };
}
