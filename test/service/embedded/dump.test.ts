import { afterAll, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { $, SQL } from "bun";
import { spawnGuarded } from "../../../shared/embedded/servers/guard.ts";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { serviceUser } from "../../../shared/embedded/servers/postgres-cluster.ts";
import { roleUrlsOf } from "../../../shared/process/database-roles.ts";
import { migrate } from "../../../workers/upkeep/migrate.ts";
import { startStack } from "../../harness.ts";
import { commandBlocks, commandLines } from "../../support/documented.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { sharedParent } from "./instance.ts";

/** Debian's newest PostgreSQL, because pg_dump must not be older than the server. */
const releases = existsSync("/usr/lib/postgresql") ? readdirSync("/usr/lib/postgresql") : [];
const bin = releases
  .map((name) => `/usr/lib/postgresql/${name}/bin`)
  .findLast((path) => existsSync(join(path, "pg_dump")));
if (!bin) console.log("The dump is left out: there is no PostgreSQL of Debian's.");

const parent = await sharedParent();

/** A server of Debian's with an empty database. */
async function startDebianServer(programs: string): Promise<(database: string) => string> {
  // PostgreSQL up to 15 enters its working directory by its path.
  chmodSync(parent, 0o755);
  const folder = join(parent, "cluster");
  mkdirSync(folder, { mode: 0o700 });
  const user = serviceUser(join(folder, "none"));
  if (user) await $`chown ${user.uid}:${user.gid} ${folder}`;
  const run = (...command: string[]) =>
    spawnGuarded({ command, cwd: folder, user, logFile: `${folder}.log`, stopSignal: "INT" });
  await run(
    join(programs, "initdb"),
    "-D",
    folder,
    "--no-sync",
    "--username=kept",
    "--encoding=UTF8",
    "--locale=C.UTF-8",
  ).exited;
  const port = await freePort();
  const settings = [
    "--listen_addresses=127.0.0.1",
    "--unix_socket_directories=",
    `--port=${port}`,
    "--fsync=off",
  ];
  const server = run(join(programs, "postgres"), "-D", folder, ...settings);
  afterAll(server.stop);
  const urlOf = (database: string) => `postgres://kept@127.0.0.1:${port}/${database}`;
  while ((await $`${programs}/pg_isready --quiet --dbname=${urlOf("postgres")}`.nothrow()).exitCode !== 0)
    await Bun.sleep(50);
  await $`${programs}/createdb --maintenance-db=${urlOf("postgres")} dumped`;
  return urlOf;
}

/** The rows of each table and the last value of each sequence, as hashes. */
async function contentsOf(url: string): Promise<Record<string, string>> {
  const sql = new SQL(url, { max: 1 });
  const tables: { name: string }[] = await sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'identity') and tablename <> 'change_horizon' and tablename not like '%keyless%'`;
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

test.skipIf(!bin)("a dump of a running server is restored as docs/backup.md says", async () => {
  const urlOf = await startDebianServer(bin ?? "");
  const [url, restoredUrl] = [urlOf("dumped"), urlOf("kept_restored")];
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
  const file = join(parent, "kept.dump");
  const { hostname, port, username } = new URL(url);
  const server = { PGHOST: hostname, PGPORT: port, PGUSER: username, DATABASE_URL: url };
  const run = (command = "") => {
    const typed = command.replace("postgres://…/kept_restored", restoredUrl).replace("kept.dump", file);
    return $`bash -ec ${typed}`.env({ ...process.env, ...server, PATH: `${bin}:${process.env.PATH}` });
  };
  for (const command of [dump, createdb, restore]) await run(command);
  expect(await contentsOf(restoredUrl)).toEqual(await contentsOf(url));
  await run(renew);
  const restored = await startStack({ env: { DATABASE_URL: restoredUrl } });
  const again = await restored.rest("POST", "/todos", { ...create, token: await restored.issuer.token() });
  expect([again.status, again.body]).toEqual([201, made.body]);
});
