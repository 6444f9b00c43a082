import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { SQL } from "bun";
import { loadCommonConfig } from "../../process/config.ts";
import { lockDataDir } from "../lock.ts";
import { elapsed } from "../servers/elapsed.ts";
import { startPostgres } from "../servers/postgres.ts";
import { copyDatabase } from "./copy-database.ts";

const migrations = resolve(import.meta.dir, "../../../workers/upkeep/migrate.ts");
const oldestRelease = 15;

/** `npm run admin -- move`: copies the embedded database of DATA_DIR into the empty one of DATABASE_URL. */
async function main(): Promise<void> {
  const start = performance.now();
  const { databaseUrl, dataDir: folder } = loadCommonConfig();
  if (databaseUrl === undefined)
    throw new Error("Set DATABASE_URL to the empty database that shall have the data.");
  const dataDir = resolve(folder);
  const cluster = join(dataDir, "postgres");
  if (!existsSync(cluster)) throw new Error(`There is no database of npm start in ${dataDir}.`);
  lockDataDir(dataDir);
  const target = new SQL(databaseUrl, { max: 1, idleTimeout: 0 });
  await demandEmpty(target);
  const { url, stop } = await startPostgres(dataDir);
  const source = new SQL(url, { max: 1, idleTimeout: 0 });
  try {
    await migrateTarget();
    await copyDatabase(source, target, (line) => console.log(`  ${line}`));
  } finally {
    await Promise.all([source.close(), target.close()]);
    await stop();
  }
  console.log(`Moved in ${elapsed(start)}; every table has the same rows on both sides.`);
  console.log(`Start Kept with this DATABASE_URL. The old database stays in ${cluster}.`);
}

async function demandEmpty(target: SQL): Promise<void> {
  const [{ release, tables }] = await target`
    select current_setting('server_version_num')::int / 10000 as release,
      (select count(*)::int from pg_tables where schemaname !~ '^pg_' and schemaname <> 'information_schema') as tables`;
  if (release < oldestRelease)
    throw new Error(`DATABASE_URL names a PostgreSQL ${release}; ${oldestRelease} or newer is needed.`);
  if (tables > 0)
    throw new Error("The database of DATABASE_URL is not empty. Drop it, create it anew and try again.");
}

/** @throws when the tables could not be made; migrate has said why */
async function migrateTarget(): Promise<void> {
  const { exited } = Bun.spawn([process.execPath, migrations], { stdio: ["ignore", "inherit", "inherit"] });
  if ((await exited) !== 0) throw new Error("The tables could not be made in the database of DATABASE_URL.");
}

await main().catch((error: Error) => {
  console.error(`Nothing was moved. ${error.message}`);
  process.exit(1);
});
