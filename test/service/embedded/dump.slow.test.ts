import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { $, SQL } from "bun";
import { roleUrlsOf } from "../../../shared/process/database-roles.ts";
import { migrate } from "../../../workers/upkeep/migrate.ts";
import { startStack } from "../../harness.ts";
import { commandBlocks, commandLines } from "../../support/documented.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { hasDebianPostgres, startDebianPostgres } from "../deploy/debian-postgres.ts";

/** The rows of each table and the last value of each sequence, as hashes. */
async function contentsOf(url: string): Promise<Record<string, string>> {
  const sql = new SQL(url, { max: 1 });
  const tables: { name: string }[] = await sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'identity') and tablename not in ('change_horizon', 'account_bytes') and tablename not like '%keyless%'`;
  const contents: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await sql.unsafe(
      `select coalesce(md5(string_agg(t::text, ' ' order by t::text)), '') as hash from ${name} t`,
    );
    contents[name] = row.hash;
  }
  const [sequences] =
    await sql`select string_agg(sequencename || last_value, ' ' order by sequencename) as all from pg_sequences`;
  await sql.close();
  return { ...contents, sequences: sequences.all };
}

test.skipIf(!hasDebianPostgres)("a dump of a running server is restored as docs/backup.md says", async () => {
  const server = await startDebianPostgres();
  afterAll(server.stop);
  const { PGHOST: host, PGPORT: port, PGUSER: user, PGPASSWORD: password } = server.env;
  const urlOf = (database: string) => `postgres://${user}:${password}@${host}:${port}/${database}`;
  const [url, restoredUrl] = [urlOf("dumped"), urlOf("kept_restored")];
  const env = { ...process.env, ...server.env, DATABASE_URL: url };
  await $`createdb dumped`.env(env);
  await migrate(url, "error", { roleUrls: roleUrlsOf(url) });
  const { rest, issuer } = await startStack({ env: { DATABASE_URL: url } });
  const token = await issuer.token();
  const create = { token, body: { title: "Call Grace" }, headers: { "idempotency-key": "once" } };
  const made = await rest("POST", "/todos", create);
  expect(made.status).toBe(201);
  // The journal tells of a token's first use soon after the answer.
  const sql = new SQL(url, { max: 1 });
  await eventually(async () => (await sql`select 1 from journal`).length > 0);
  await sql.close();
  const block = (await commandBlocks("docs/backup.md")).find(({ text }) => text.includes("pg_dump"));
  const [dump, createdb, restore, renew] = block ? commandLines(block) : [];
  const file = join(temporaryFolder("dump"), "kept.dump");
  const run = (command = "") => {
    const typed = command.replace("postgres://…/kept_restored", restoredUrl).replace("kept.dump", file);
    return $`bash -ec ${typed}`.env(env);
  };
  for (const command of [dump, createdb, restore]) await run(command);
  expect(await contentsOf(restoredUrl)).toEqual(await contentsOf(url));
  await run(renew);
  const restored = await startStack({ env: { DATABASE_URL: restoredUrl } });
  const again = await restored.rest("POST", "/todos", { ...create, token: await restored.issuer.token() });
  expect([again.status, again.body]).toEqual([201, made.body]);
});
