import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { exclusively } from "../../shared/db/exclusively.ts";
import { openDatabase } from "../../shared/db/orm.ts";
import { loadCommonConfig } from "../../shared/process/config.ts";
import { createLog } from "../../shared/process/observe/log.ts";
import { runningDatabase } from "../../shared/process/running-database.ts";
import { archiveMonths } from "./archived-months.ts";

/** `npm run admin -- archive-log --before YYYY-MM`: takes older months of the action log out of the database, into files. */
async function main(): Promise<void> {
  const { before = "" } = parseArgs({ options: { before: { type: "string" } } }).values;
  // Actions of the last 30 days can be undone, which needs their rows.
  const newest = Temporal.Now.plainDateISO("UTC").subtract({ months: 1 }).toPlainYearMonth().toString();
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(before) || before > newest)
    throw new Error(`--before must be the first month that stays, ${newest} at the latest.`);
  const config = loadCommonConfig();
  const url = await runningDatabase(config);
  const folder = join(resolve(config.backupDir ?? join(config.dataDir, "backup")), "action-log");
  const database = await openDatabase({
    url,
    log: createLog("archive-log", "warn"),
    purpose: "migrations",
    connections: 3,
  });
  const files = await exclusively(database.pool, { name: "kept.upkeep", taken: "wait" }, () =>
    archiveMonths(database.pool, folder, before.replace("-", "")),
  ).finally(() => database.close());
  console.log(files?.length ? files.join("\n") : `There is nothing from before ${before}.`);
}

await main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
