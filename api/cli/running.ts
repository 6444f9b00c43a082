import { type Database, openDatabase } from "../../shared/db/orm.ts";
import { type CommonConfig, loadCommonConfig } from "../../shared/process/config.ts";
import { createLog } from "../../shared/process/observe/log.ts";
import { runningDatabase } from "../../shared/process/running-database.ts";

/** Runs a command, whose failure is one line for people. */
export const runCommand = (main: () => Promise<void>): Promise<void> =>
  main().catch((error: Error) => {
    console.error(error.message);
    process.exit(1);
  });

/**
 * Lends a command the database of the service that runs beside it, with one connection.
 * @param name of the command, for its log
 * @throws when Kept is not running and no database is named
 */
export async function withRunningDatabase<Result>(
  name: string,
  work: (database: Database, config: CommonConfig) => Promise<Result>,
): Promise<Result> {
  const config = loadCommonConfig();
  const database = await openDatabase({
    url: await runningDatabase(config),
    log: createLog(name, "warn"),
    prepare: config.databasePrepare,
    connections: 1,
  });
  return work(database, config).finally(database.close);
}
