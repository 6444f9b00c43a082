import { afterAll } from "bun:test";
import { Pool } from "pg";
import { openMailbox } from "../../api/mailbox/mailbox.ts";
import type { Config } from "../../shared/process/config.ts";
import {
  batchVersion,
  type CommandBatch,
  openSigner,
  type QueuedCommand,
  type Signer,
} from "../../shared/queue/batch.ts";
import { connectBlocking, connectFailFast, firstTry } from "../../shared/queue/connections.ts";
import { commandQueue, openQueue } from "../../shared/queue/queues.ts";

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
type Mailbox = Awaited<ReturnType<typeof openOwnMailbox>>;

/** A command as a front door sends it now. */
export const commandOf = (
  userId: string,
  name: Command["name"],
  input: object,
  more: Partial<Command> = {},
): Command => ({
  ...{ id: Bun.randomUUIDv7(), userId, name, input: { ...input }, fingerprint: null },
  ...{ acceptedAt: Date.now(), sentAt: Date.now(), ...more },
});

/** A command for a todo of a user who has nothing else. */
export const creationOf = (title: string): Command =>
  commandOf(`owner of ${title}`, "todo.create", { title });

export async function outcomeOf(mailbox: Mailbox, command: Command) {
  const delivery = await mailbox.send(command);
  return typeof delivery === "object" ? delivery.outcome : delivery;
}

/** Sends all at once after a first one, so that they travel in one batch. */
export async function outcomesOf(mailbox: Mailbox, commands: readonly Command[]) {
  const all = [creationOf(`first, alone ${crypto.randomUUID()}`), ...commands];
  return (await Promise.all(all.map((command) => outcomeOf(mailbox, command)))).slice(1);
}

/** The queue of commands as a stranger at Redis sees it, and the messages to the sender of its batches. */
export async function openLine(config: Place & Pick<Config, "redisUrl" | "queuePrefix">) {
  const { redisUrl, queuePrefix } = config;
  const producer = connectFailFast(redisUrl);
  const [connection, ears] = [connectBlocking(redisUrl, 5_000), connectBlocking(redisUrl, 5_000)];
  await firstTry(producer);
  const replyTo = crypto.randomUUID();
  const messages: Record<string, unknown>[] = [];
  ears.on("message", (_channel, text) => messages.push(JSON.parse(text)));
  await ears.subscribe(replyTo);
  const queue = openQueue<object>(commandQueue, { connection: producer, queuePrefix });
  const signer = await signerOf(config);
  afterAll(async () => {
    await queue.close();
    for (const redis of [producer, connection, ears]) redis.disconnect();
  });
  return {
    ...{ queue, signer, messages, producer, connection, prefix: `{${queuePrefix}}` },
    /** A batch of one command. */
    batchOf: (id: string, command: Command): CommandBatch => ({
      ...{ v: batchVersion, id, replyTo },
      commands: [{ ...command, ticket: 1 }],
    }),
    /** Adds a batch that a front door signed. */
    add: (batch: object) => queue.add("batch", signer.sign(batch)),
  };
}
