import { parseArgs } from "node:util";
import { exclusively } from "../../shared/db/exclusively.ts";
import { type Database, openDatabase } from "../../shared/db/orm.ts";
import { noteNeighbours, readSchema, tooNew } from "../../shared/db/schema-guard.ts";
import { makeSharedSecrets } from "../../shared/db/shared-secrets.ts";
import { loadCommonConfig } from "../../shared/process/config.ts";
import type { RoleUrls } from "../../shared/process/database-roles.ts";
import { createLog } from "../../shared/process/observe/log.ts";
import { applyMigration } from "./migration/apply.ts";
import { locksOf } from "./migration/locks.ts";
import { allMigrations, pendingOf, tableFinder } from "./migration/pending.ts";
import { planOf, printed } from "./migration/plan.ts";
import { giveRights } from "./migration/roles.ts";
import { changesColumns, renewSessions } from "./migration/sessions.ts";

type Options = Readonly<{
  /** The last migration to apply; unset: all. */
  to?: string;
  /** Addresses of the roles that the other processes use. */
  roleUrls?: RoleUrls;
  /** The folder in which earlier releases kept a secret. */
  dataDir?: string;
  /** Receives a line for each migration of a database that is in use. */
  report?(line: string): void;
}>;

/** Migrates the database at `url` to the newest schema; several processes may run it at once. */
export async function migrate(url: string, logLevel = "info", options: Options = {}): Promise<void> {
  await withDatabase(url, logLevel, async (database) => {
    await exclusively(database.pool, { name: "kept.migrate", taken: "wait" }, async () => {
      await bringUp(database, options);
      await noteNeighbours(database.pool);
      await database.pool.query("select renew_changes()");
      await makeSharedSecrets(database.pool, options.dataDir ?? ".");
      await giveRights(database.pool, options.roleUrls ?? {});
    });
  });
}

/** Applies what is pending, in order, to a database that no other process migrates. */
export async function bringUp(
  { orm, pool }: Database,
  { to, report = () => {} }: Options = {},
): Promise<void> {
  await orm.migrator.getExecuted(); // Makes the table of migrations.
  const schema = await readSchema(pool);
  demandNewer(tooNew(schema));
  const all = allMigrations({ orm });
  const tableOf = tableFinder(all);
  const isUpgrade = schema.applied.length > 0;
  // At once: the rest of an online migration may take minutes.
  const committed = async (statements: readonly string[]) => {
    if (isUpgrade && changesColumns(statements)) await renewSessions(pool);
  };
  for (const migration of pendingOf(all, schema)) {
    const begun = performance.now();
    await applyMigration(pool, migration, locksOf(migration.statements, tableOf), committed);
    if (isUpgrade) report(`${migration.name}  ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
    if (migration.name === to) return;
  }
}

function demandNewer(problem: string | undefined): void {
  if (problem) throw new Error(problem);
}

async function showPlan(url: string, logLevel: string): Promise<void> {
  await withDatabase(url, logLevel, async (database) => {
    const schema = await readSchema(database.pool);
    demandNewer(tooNew(schema));
    const all = allMigrations(database);
    const plan = await planOf(database.pool, pendingOf(all, schema), tableFinder(all));
    console.log(plan.length > 0 ? printed(plan).join("\n") : "No migration is pending.");
  });
}

async function withDatabase(
  url: string,
  logLevel: string,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const log = createLog("migrate", logLevel);
  const database = await openDatabase({ url, log, purpose: "migrations", connections: 2 });
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

/** `npm run migrate`; with `-- --plan` it only prints the pending migrations. */
async function run(): Promise<void> {
  const { values } = parseArgs({ options: { plan: { type: "boolean", default: false } } });
  const { databaseUrl, logLevel, roleUrls, dataDir } = loadCommonConfig();
  if (!databaseUrl) throw new Error("DATABASE_URL names the database to migrate; npm start brings its own.");
  if (values.plan) return showPlan(databaseUrl, logLevel);
  await migrate(databaseUrl, logLevel, { roleUrls, dataDir, report: (line) => console.log(line) });
}

if (import.meta.main)
  await run().catch((error: Error) => {
    console.error(error.message);
    process.exit(1);
  });
