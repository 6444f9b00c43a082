import { openDatabase } from "../../shared/db/orm.ts";
import { checksOf } from "../../shared/doctor/checks.ts";
import {
  type Diagnosis,
  examine,
  runningRedis,
  usesEmbeddedDatabase,
} from "../../shared/doctor/diagnosis.ts";
import { loadCommonConfig } from "../../shared/process/config.ts";
import { createLog } from "../../shared/process/observe/log.ts";
import { runningDatabase } from "../../shared/process/running-database.ts";
import { connectFailFast } from "../../shared/queue/connections.ts";
import { runCommand } from "./running.ts";

/** `npm run admin -- doctor`: one line for each part of a running Kept. Exit code 1 means that something is broken. */
async function main(): Promise<void> {
  const config = loadCommonConfig();
  const [url, redisUrl] = await Promise.all([runningDatabase(config), runningRedis(config)]);
  const { pool } = await openDatabase({
    url,
    log: createLog("doctor", "silent"),
    purpose: "checks",
    prepare: config.databasePrepare,
    connections: 2,
  });
  const redis = connectFailFast(redisUrl);
  const isEmbedded = await usesEmbeddedDatabase(config);
  const diagnoses = await examine(checksOf({ config, isEmbedded, pool, redis }));
  for (const [name, diagnosis] of diagnoses) console.log(lineOf(name, diagnosis));
  process.exit([...diagnoses.values()].some(({ state }) => state === "broken") ? 1 : 0);
}

const lineOf = (name: string, { state, says, advice }: Diagnosis): string =>
  `${state.padEnd(8)}${name.padEnd(12)}${says}${advice ? `\n${" ".repeat(20)}${advice}` : ""}`;

await runCommand(main);
