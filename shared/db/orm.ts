import { MikroORM } from "@mikro-orm/postgresql";
import type { CustomTypesConfig, Pool, PoolClient } from "pg";
import type { Log } from "../log.ts";
import { entities } from "./entities.ts";
import { migrations } from "./migrations/index.ts";
import { prepareStatements } from "./prepared-statements.ts";

export type Database = Readonly<{
  orm: MikroORM;
  /** MikroORM's own pool: what the unit of work writes through. */
  pool: Pool;
  close(): Promise<void>;
}>;

/** `reads`: the planner is free. `writes`: connections only look up keys, so plans are generic and index-only. */
export type Purpose = "reads" | "writes";

const writeSettings = [
  "-c plan_cache_mode=force_generic_plan",
  "-c enable_seqscan=off",
  "-c enable_hashjoin=off",
  "-c enable_mergejoin=off",
].join(" ");

/**
 * Opens MikroORM on a pool of at most `connections`, every statement prepared once per connection.
 * Lost connections are logged and replaced, never fatal.
 */
export async function openDatabase(options: {
  url: string;
  log: Log;
  purpose?: Purpose;
  connections?: number;
}): Promise<Database> {
  const { url, log, purpose = "reads", connections = 10 } = options;
  let pool: Pool | undefined;
  const orm = await MikroORM.init({
    clientUrl: url,
    entities: [...entities],
    debug: false,
    logger: (message) => log.debug(message.trim()),
    discovery: { warnWhenNoEntities: false },
    migrations: { migrationsList: migrations, snapshot: false, transactional: true },
    pool: { min: 0, max: connections },
    driverOptions: {
      pipeline: true,
      application_name: `kept-${purpose}`,
      connectionTimeoutMillis: 1_500,
      options: `-c timezone=UTC -c jit=off${purpose === "writes" ? ` ${writeSettings}` : ""}`,
      onPoolCreated(created: Pool) {
        pool = created;
        numericIds(created);
        created.on("error", (error) => log.warn({ reason: error.message }, "idle database connection lost"));
        created.on("connect", (client: PoolClient) => {
          client.on("error", (error) => log.warn({ reason: error.message }, "database connection lost"));
          prepareStatements(client);
        });
      },
    },
  });
  await orm.connect();
  if (!pool) throw new Error("MikroORM opened no pool.");
  return { orm, pool, close: () => orm.close(true) };
}

/** bigint columns hold ids up to 2^53-1, which a JavaScript number carries exactly. */
function numericIds(pool: Pool): void {
  const bigint = 20;
  const types = pool.options.types as
    | (CustomTypesConfig & { setTypeParser(oid: number, parse: typeof Number): void })
    | undefined;
  types?.setTypeParser(bigint, Number);
}
