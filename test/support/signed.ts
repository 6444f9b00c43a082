import { Pool } from "pg";
import { openMailbox } from "../../api/mailbox/mailbox.ts";
import type { Config } from "../../shared/process/config.ts";
import type { QueuedCommand } from "../../shared/queue/batch.ts";
import { openSigner, type Signer } from "../../shared/queue/signature.ts";

type Place = Pick<Config, "databaseUrl">;

/** Runs something with a connection to the database that ends with it. */
export async function withPool<Result>(
  { databaseUrl }: Place,
  run: (pool: Pool) => Promise<Result>,
): Promise<Result> {
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  return run(pool).finally(() => pool.end());
}

/** The signer of the front doors and workers of a database. */
export const signerOf = (config: Place): Promise<Signer> => withPool(config, openSigner);

/** A front door's mailbox of its own. */
export const openOwnMailbox = (config: Place & Parameters<typeof openMailbox>[0]) =>
  withPool(config, (pool) => openMailbox(config, pool));

type Command = Omit<QueuedCommand, "ticket">;

/** A command for a todo of a user who has nothing else. */
export const creationOf = (title: string): Command => ({
  id: Bun.randomUUIDv7(),
  userId: `owner of ${title}`,
  name: "todo.create",
  input: { title },
  fingerprint: null,
  acceptedAt: Date.now(),
  sentAt: Date.now(),
});

/** Sends all at once after a first one, so that they travel in one batch. */
export async function outcomesOf(
  mailbox: Awaited<ReturnType<typeof openOwnMailbox>>,
  commands: readonly Command[],
) {
  const all = [creationOf("first, alone"), ...commands];
  const deliveries = await Promise.all(all.map((command) => mailbox.send(command)));
  return deliveries.slice(1).map((delivery) => (typeof delivery === "object" ? delivery.outcome : delivery));
}
