import { MikroORM } from "@mikro-orm/postgresql";
import type { CustomTypesConfig, Pool, PoolClient } from "pg";
import type { Log } from "../process/observe/log.ts";
import { entities } from "./entities.ts";
import { migrations } from "./migrations/index.ts";
import { demandSchema } from "./schema-guard.ts";
import { setUsers, statementName, takeStatements } from "./statements/statements.ts";

/**
 * MikroORM holds the entities, the migrations and the pool, and its query layer (Kysely) writes reads, with the tables and
 * row types that it infers from the entities: a renamed column compiles in no read. It does not run them. `em.getKysely()`
 * would build each text anew (39 µs), name no users to row security and coalesce nothing; so `reads/statement.ts` compiles a
 * text once, and MikroORM's pool runs it. Nor does MikroORM write: its flush takes six times the processor time of the unit
 * of work, which writes the rows of many commands at once.
 */
export type Database = Readonly<{
  orm: MikroORM;
  /** MikroORM's own pool, through which the unit of work writes. */
  pool: Pool;
  close(): Promise<void>;
}>;

/**
 * Writes only look up keys, so their plans are generic and use indexes alone. They never wait for locked rows, so
 * the lock timeout is a safeguard. A process that freezes or vanishes inside a transaction loses its locks within
 * seconds.
 */
const writeSettings = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  lock_timeout: "100ms",
  statement_timeout: "3s",
  idle_in_transaction_session_timeout: "2s",
  tcp_keepalives_idle: "5",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "3",
  tcp_user_timeout: "10s",
};

/**
 * Timeouts and settings by purpose. Somebody waits for a read, so a frozen server fails it within 2 s. PostgreSQL
 * stops a long one just before that, or unawaited reads would pile up. Lists follow an index in order, which a
 * bitmap scan would lose. Writes have the door's own timeout; their query timeout is a backstop.
 */
const reads = {
  connectMs: 900,
  queryMs: 900,
  settings: { enable_bitmapscan: "off", statement_timeout: "800ms", plan_cache_mode: "force_generic_plan" },
};
const purposes = {
  reads,
  "standby-reads": reads,
  writes: { connectMs: 1_500, queryMs: 5_000, settings: writeSettings },
  migrations: { connectMs: 1_500, queryMs: 0, settings: {} },
  checks: { connectMs: 1_500, queryMs: 5_000, settings: { statement_timeout: "4500ms" } },
};

/** Purposes that a server serves as soon as it is there: a standby's reads, and looking whether it is there. */
const mayBeAway: readonly string[] = ["standby-reads", "checks"];

type Options = Readonly<{
  url: string;
  log: Log;
  purpose?: keyof typeof purposes;
  connections?: number;
  prepare?: boolean;
  /** Checks each new connection. If it throws, the connection is not used. */
  inspect?(connection: PoolClient): Promise<void>;
  /** Connections are replaced after so long, and inspected again; unset: they stay. */
  replaceAfterSeconds?: number;
}>;

/**
 * Opens MikroORM on a pool of at most `connections`; with `prepare`, each prepares a statement once. Lost connections
 * are logged and replaced, never fatal. For some purposes the server may be away at the start as well.
 * @throws when the server cannot be used, or when this release cannot serve its schema
 */
export async function openDatabase(options: Options): Promise<Database> {
  const { url, log, purpose = "reads", connections = 10, prepare = true } = options;
  const { connectMs, queryMs, settings: own } = purposes[purpose];
  const settings = { timezone: "UTC", jit: "off", ...own };
  let pool: Pool | undefined;
  const orm = await MikroORM.init({
    clientUrl: url,
    entities: [...entities],
    debug: false,
    logger: (message) => log.debug(message.trim()),
    discovery: { warnWhenNoEntities: false },
    ensureDatabase: false,
    migrations: { migrationsList: [...migrations], snapshot: false },
    pool: { min: 0, max: connections },
    driverOptions: {
      pipeline: true,
      application_name: `kept-${purpose}`,
      connectionTimeoutMillis: connectMs,
      query_timeout: queryMs,
      maxLifetimeSeconds: options.replaceAfterSeconds,
      options: Object.entries(settings)
        .map(([name, value]) => `-c ${name}=${value}`)
        .join(" "),
      async onConnect(client: PoolClient) {
        await demandSettings(client, settings);
        // A statement is known to a connection once it has run.
        if (prepare) await client.query({ text: setUsers, name: statementName(setUsers), values: [[]] });
        await options.inspect?.(client);
      },
      onPoolCreated(created: Pool) {
        pool = created;
        numericIds(created);
        created.on("error", (error) => log.warn({ reason: error.message }, "idle database connection lost"));
        created.on("connect", (client: PoolClient) => {
          client.on("error", (error) => log.warn({ reason: error.message }, "database connection lost"));
          takeStatements(client, prepare);
        });
      },
    },
  });
  await orm.connect();
  if (!pool) throw new Error("MikroORM opened no pool.");
  // MikroORM ends a pool only if it has used it itself. On a busy machine the first connection may take longer.
  let answer = await orm.checkConnection();
  const mustBeThere = !mayBeAway.includes(purpose);
  for (let tries = 1; tries < 5 && !answer.ok && mustBeThere; tries++) answer = await orm.checkConnection();
  if (!answer.ok && mustBeThere) throw new Error(unusable(url, answer.reason));
  if (purpose === "reads" || purpose === "writes")
    await demandUse(pool, prepare && connections > 1).catch((error) =>
      orm.close(true).then(() => Promise.reject(error)),
    );
  return { orm, pool, close: () => orm.close(true) };
}

/** One after the other, because a busy machine takes long to make a connection. */
async function demandUse(pool: Pool, prepares: boolean): Promise<void> {
  await demandSchema(pool);
  if (prepares) await demandPrepared(pool);
}

/** Names the setting and the server, but not the password. */
function unusable(url: string, reason: string): string {
  const { host, pathname } = new URL(url);
  return `PostgreSQL at ${host}${pathname} cannot be used (DATABASE_URL): ${reason.replace(/\.$/, "")}.`;
}

/** bigint columns hold ids up to 2^53-1, which a JavaScript number represents exactly. */
function numericIds(pool: Pool): void {
  const bigint = 20;
  const types = pool.options.types as
    | (CustomTypesConfig & { setTypeParser(oid: number, parse: typeof Number): void })
    | undefined;
  types?.setTypeParser(bigint, Number);
}

/**
 * Checks that a new connection has its settings. A pooler in between may drop them; then times are in the server's
 * zone and locks have no timeout.
 * @throws Error naming the first setting that differs
 */
async function demandSettings(
  client: Pick<PoolClient, "query">,
  wanted: Readonly<Record<string, string>>,
): Promise<void> {
  // PostgreSQL shows a value in the setting's own unit, so the wanted value is converted for the comparison.
  const { rows } = await client.query<{ name: string; value: string; unit: string | null }>(
    "select name, setting as value, unit from pg_settings where lower(name) = any($1::text[])",
    [Object.keys(wanted)],
  );
  for (const { name, value, unit } of rows) {
    const asked = wanted[name.toLowerCase()] ?? "";
    if (value.toLowerCase() !== inUnit(asked, unit).toLowerCase())
      throw new Error(
        `The database session has ${name}=${value}${unit ?? ""} instead of ${asked}: a connection pooler in between must pass the startup parameter "options" on in session mode, or the setting must be given to the database user (alter role).`,
      );
  }
}

/** Converts a time such as 3s to the unit in which pg_settings shows it. */
function inUnit(asked: string, unit: string | null): string {
  const [, number = asked, suffix] = /^(\d+)(ms|s)$/.exec(asked) ?? [];
  if (suffix === undefined || unit === null) return asked;
  const ms = Number(number) * (suffix === "s" ? 1_000 : 1);
  return String(unit === "s" ? ms / 1_000 : ms);
}

/** SQLSTATE of a statement's name that the server does not know, or knows already. */
const wrongNames = ["26000", "42P05"];

/**
 * Checks that a session knows the statements that it prepared. A pooler may give its server's connection to the next
 * session, which a transaction beside it shows.
 * @throws Error naming DATABASE_PREPARE
 */
async function demandPrepared(pool: Pick<Pool, "connect">): Promise<void> {
  const taken: PoolClient[] = [];
  const take = async () => taken[taken.push(await pool.connect()) - 1];
  const named = { name: "kept_probe", text: "select" };
  let isWhole = false;
  try {
    const [session, other] = [await take(), await take()];
    await session?.query(named);
    await other?.query("begin");
    await session?.query(named);
    await other?.query("rollback");
    isWhole = true;
  } catch (error) {
    // Other failures, such as of a server that has no room for a second connection, say nothing of names.
    if (!(error instanceof Error && "code" in error && wrongNames.includes(String(error.code)))) return;
    throw new Error(
      "A connection pooler in between drops prepared statements: set DATABASE_PREPARE=no, or let it follow them (max_prepared_statements of PgBouncer).",
    );
  } finally {
    for (const client of taken) client.release(!isWhole);
  }
}
