import { rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { runningDatabase } from "../../../shared/process/running-database.ts";
import { shareRuntime, startCommand } from "../../service/embedded/instance.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { ownRoot } from "../bench/subject.ts";

/** Bytes that PostgreSQL keeps for the database, and that the ledger has of all accounts. */
export type Stored = Readonly<{ database: number; ledger: number }>;

/** The service as `npm start` runs it, with every limit at its default. */
export async function startService() {
  const parent = temporaryFolder("hostile");
  shareRuntime(parent);
  const [port, identityPort] = [await freePort(), await freePort()];
  const env = { IDENTITY_PORT: String(identityPort), LOG_LEVEL: "warn" };
  const instance = { dataDir: join(parent, "data"), port, env };
  const command = [join(ownRoot, "node_modules/.bin/bun"), join(ownRoot, "shared/embedded/main.ts")];
  const run = startCommand(instance, command, { cwd: ownRoot });
  await run.printed("Ready in");
  const url = await runningDatabase({ databaseUrl: undefined, dataDir: instance.dataDir });
  const sql = new SQL(url, { max: 2 });
  return {
    baseUrl: `http://localhost:${port}`,
    authUrl: `http://localhost:${identityPort}`,
    async stored(): Promise<Stored> {
      const [stored] = await sql`
        select pg_database_size(current_database())::float8 as database,
          (select coalesce(sum(bytes), 0) from byte_ledger)::float8 as ledger`;
      return stored;
    },
    async stop(): Promise<void> {
      await sql.close();
      await run.end("SIGTERM");
      rmSync(parent, { recursive: true, force: true });
    },
  };
}
