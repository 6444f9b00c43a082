import { exclusively } from "../../shared/db/exclusively.ts";
import { openDatabase } from "../../shared/db/orm.ts";
import { loadCommonConfig } from "../../shared/process/config.ts";
import { createLog } from "../../shared/process/observe/log.ts";

/** Migrates the database at `url` to the newest schema; several processes may run it at once. */
export async function migrate(url: string, logLevel = "info"): Promise<void> {
  const log = createLog("migrate", logLevel);
  const database = await openDatabase({ url, log, purpose: "migrations", connections: 2 });
  try {
    await exclusively(database.pool, { name: "kept.migrate", taken: "wait" }, async () => {
      await database.orm.migrator.up();
      await database.pool.query("select renew_changes()");
    });
  } finally {
    await database.close();
  }
}

if (import.meta.main) {
  const { databaseUrl, logLevel } = loadCommonConfig();
  if (!databaseUrl) throw new Error("DATABASE_URL names the database to migrate; npm start brings its own.");
  await migrate(databaseUrl, logLevel);
}
