import { rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { runningDatabase } from "../../../shared/process/running-database.ts";
import { shareRuntime, startCommand } from "../../service/embedded/instance.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { ownRoot } from "../bench/subject.ts";

/** Bytes that PostgreSQL keeps for the database, and those that all accounts keep, with recent replies. */
export type Stored = Readonly<{ database: number; accounts: number }>;

/** The service as `npm start` runs it, with every limit at its default, and receivers of webhooks on this machine. */
export async function startService() {
  const parent = temporaryFolder("hostile");
  shareRuntime(parent);
  const port = await freePort();
  // Workers run apart, as the limits of compose.yaml are for each role.
  const env = { LOG_LEVEL: "warn", WORKERS: "1", WEBHOOK_ALLOW_LOOPBACK: "yes" };
  const instance = { dataDir: join(parent, "data"), port, env };
  const command = [join(ownRoot, "node_modules/.bin/bun"), join(ownRoot, "shared/embedded/main.ts")];
  const run = startCommand(instance, command, { cwd: ownRoot });
  await run.printed("Ready in");
  const url = await runningDatabase({ databaseUrl: undefined, dataDir: instance.dataDir });
  const sql = new SQL(url, { max: 2 });
  return {
    baseUrl: `http://localhost:${port}`,
    async stored(): Promise<Stored> {
      await sql`update account_bytes set counted_at = '-infinity'`;
      for (let due = 1; due > 0; await Bun.sleep(200))
        [{ due }] = await sql`select count(*)::int as due from account_bytes where counted_at = '-infinity'`;
      const [stored] = await sql`
        select pg_database_size(current_database())::float8 as database,
          ((select coalesce(sum(kept), 0) from account_bytes)
            + (select coalesce(sum(200 + octet_length(reply)), 0) from inbox))::float8 as accounts`;
      return stored;
    },
    async stop(): Promise<void> {
      await sql.close();
      await run.end("SIGTERM");
      rmSync(parent, { recursive: true, force: true });
    },
  };
}
