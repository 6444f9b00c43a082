import { type Database, openDatabase } from "../../shared/db/orm.ts";
import type { CommonConfig } from "../../shared/process/config.ts";
import { createLog } from "../../shared/process/observe/log.ts";
import { runningDatabase } from "../../shared/process/running-database.ts";

/**
 * Opens the database for a command that runs beside the service, with one connection.
 * @param name of the command, for its log
 * @throws when Kept is not running and no database is named
 */
export const openRunningDatabase = async (
  config: Pick<CommonConfig, "databaseUrl" | "dataDir" | "databasePrepare">,
  name: string,
): Promise<Database> =>
  openDatabase({
    url: await runningDatabase(config),
    log: createLog(name, "warn"),
    prepare: config.databasePrepare,
    connections: 1,
  });
