import { Pool } from "pg";
import { openMailbox } from "../../api/mailbox/mailbox.ts";
import type { Config } from "../../shared/process/config.ts";
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
