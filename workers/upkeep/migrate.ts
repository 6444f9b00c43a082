import { parseArgs } from "node:util";
import { exclusively } from "../../shared/db/exclusively.ts";
import { migrations, neighboursKnow } from "../../shared/db/migrations/index.ts";
import { type Database, openDatabase } from "../../shared/db/orm.ts";
import { readSchema, tooNew } from "../../shared/db/schema-guard.ts";
import { makeSharedSecrets } from "../../shared/db/shared-secrets.ts";
import { loadCommonConfig } from "../../shared/process/config.ts";
import type { RoleUrls } from "../../shared/process/database-roles.ts";
import { createLog } from "../../shared/process/observe/log.ts";
import { applyMigration, type ListedMigration } from "./migration/apply.ts";
import { planOf } from "./migration/plan.ts";
import { giveRights } from "./migration/rights.ts";

type Options = Readonly<{
  /** Addresses of the roles that the other processes use. */
  roleUrls?: RoleUrls;
  /** Receives a line for each migration of a database that is in use. */
  report?(line: string): void;
}>;

/** Migrates the database at `url` to the newest schema; several processes may run it at once. */
export const migrate = (
  url: string,
  logLevel = "info",
  { roleUrls = {}, report }: Options = {},
): Promise<void> =>
  withDatabase(url, logLevel, async (database) => {
    const { pool } = database;
    await exclusively(pool, { name: "kept.migrate", taken: "wait" }, async () => {
      await bringUp(database, listMigrations(database), report);
      await pool.query("select renew_changes()");
      await makeSharedSecrets(pool);
      await giveRights(pool, roleUrls);
    });
  });

/** Applies what is pending, in order, to a database that no other process migrates. */
export async function bringUp(
  database: Database,
  all: readonly ListedMigration[] = listMigrations(database),
  report: Options["report"] = () => {},
): Promise<void> {
  const { orm, pool } = database;
  await orm.migrator.getExecuted(); // Makes the table of migrations.
  const pending = await pendingIn(pool, all);
  for (const migration of pending) {
    const begun = performance.now();
    await applyMigration(pool, migration);
    if (pending.length < all.length)
      report(`${migration.name}  ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  }
  await pool.query(`comment on table mikro_orm_migrations is '${neighboursKnow}'`);
}

export const listMigrations = ({ orm }: Database, all = migrations): readonly ListedMigration[] =>
  all.map(({ name, class: Kind }) => {
    const migration = new Kind(orm.em.getDriver(), orm.config);
    migration.up();
    return { name, isOnline: !migration.isTransactional(), statements: migration.getQueries().map(String) };
  });

/** @throws when a newer release has migrated the database */
async function pendingIn(pool: Database["pool"], all: readonly ListedMigration[]) {
  const schema = await readSchema(pool);
  const problem = tooNew(schema);
  if (problem) throw new Error(problem);
  return all.filter(({ name }) => !schema.applied.includes(name));
}

async function showPlan(database: Database): Promise<void> {
  const pending = await pendingIn(database.pool, listMigrations(database));
  console.log((await planOf(database.pool, pending)).join("\n") || "No migration is pending.");
}

async function withDatabase(url: string, logLevel: string, work: (database: Database) => Promise<void>) {
  const log = createLog("migrate", logLevel);
  const database = await openDatabase({ url, log, purpose: "migrations", connections: 2 });
  await work(database).finally(database.close);
}

/** `npm run migrate`; with `-- --plan` it only prints the pending migrations. */
async function run(): Promise<void> {
  const { values } = parseArgs({ options: { plan: { type: "boolean", default: false } } });
  const { databaseUrl, logLevel, roleUrls } = loadCommonConfig();
  if (!databaseUrl) throw new Error("DATABASE_URL names the database to migrate; npm start brings its own.");
  if (values.plan) return withDatabase(databaseUrl, logLevel, showPlan);
  await migrate(databaseUrl, logLevel, { roleUrls, report: (line) => console.log(line) });
}

if (import.meta.main)
  await run().catch((error: Error) => {
    console.error(error.message);
    process.exit(1);
  });
