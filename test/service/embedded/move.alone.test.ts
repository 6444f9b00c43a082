import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { $, SQL } from "bun";
import { startPostgres } from "../../../shared/embedded/servers/postgres.ts";
import { runningDatabase } from "../../../shared/process/running-database.ts";
import { callDoors } from "../../support/chaos/world.ts";
import { commandBlocks, commandLines } from "../../support/documented.ts";
import { hasDebianPostgres, startDebianPostgres } from "../deploy/debian-postgres.ts";
import { environmentOf, type Instance, newInstance, root, sharedParent, startKept } from "./instance.ts";

/** The documented commands for the other server, and the move itself. */
const lines = (await commandBlocks("docs/server.md")).flatMap(commandLines);
const makeDatabase = lines
  .find((line) => line.includes("create role kept"))
  ?.replace("runuser -u postgres -- ", "");
const move = lines
  .find((line) => line.startsWith("kept-admin move"))
  ?.replace("kept-admin", "npm run admin --");

const tryMove = async (instance: Instance) => {
  const { exitCode, stdout, stderr } = await $`bash -ec ${move}`
    .env(environmentOf(instance))
    .cwd(root)
    .nothrow()
    .quiet();
  return { exitCode, said: `${stdout}${stderr}` };
};

/** An old installation has months of the log that a new one has not, more rows than travel at once, and any text. */
async function makeOld(url: string): Promise<void> {
  const sql = new SQL(url, { max: 1 });
  await sql.unsafe(`
    create table action_log_all_20250201_0000 partition of action_log
      for values from ('2025-02-01 00:00:00+00') to ('2025-03-01 00:00:00+00');
    insert into action_log select (jsonb_populate_record(l, '{"called_at": "2025-02-03 04:05:06.789012+00"}')).* from action_log l limit 1;
    insert into todos select (jsonb_populate_record(t, jsonb_build_object('id', nextval('todos_id_seq'),
        'title', E'"\\\\\\n\\t,(){}'' Ж 😀 ' || n))).*
      from (select t from todos t limit 1) t, generate_series(1, 1200) n`);
  await sql.close();
}

/** The number of rows of every table, partitions too, but of bytes, which workers count when they like. */
async function countRows(url: string): Promise<Record<string, number>> {
  const sql = new SQL(url, { max: 1 });
  const names: { name: string }[] = await sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'identity') and tablename <> 'account_bytes'`;
  const counts: Record<string, number> = {};
  for (const { name } of names)
    counts[name] = (await sql.unsafe(`select count(*)::int as n from ${name}`))[0].n;
  await sql.close();
  return counts;
}

test.skipIf(!hasDebianPostgres)(
  "a move to Debian's PostgreSQL takes everything along, keeps the old database, and the service goes on there",
  async () => {
    const server = await startDebianPostgres();
    afterAll(server.stop);
    const env = { RATE_LIMIT_PER_MINUTE: "0" };
    const instance = await newInstance(await sharedParent(), env);
    const token = () => readFileSync(join(instance.dataDir, "owner-token"), "utf8").trim();
    const old = await startKept(instance);
    const call = callDoors([`http://localhost:${instance.port}`], token());
    const habit = await call("POST", "/habits", { body: { name: "Read", type: "good", frequency: "daily" } });
    await call("POST", `/habits/${habit.body.id}/complete`);
    const todo = { key: "once", body: { title: "Call Grace", due_date: "2027-01-01" } };
    const made = await call("POST", "/todos", todo);
    await makeOld(await runningDatabase({ dataDir: instance.dataDir, databaseUrl: undefined }));
    const cursor = (await call("GET", "/changes")).body.next_cursor;
    const shown = (await call("GET", "/dashboard")).body;

    await $`bash -ec ${`password=secret; ${makeDatabase}`}`.env({ ...process.env, ...server.env }).quiet();
    const { PGHOST: host, PGPORT: port } = server.env;
    expect((await tryMove(instance)).said).toContain("Set DATABASE_URL");
    const databaseUrl = `postgres://kept:secret@${host}:${port}/kept`;
    const moved = { ...instance, env: { ...instance.env, DATABASE_URL: databaseUrl } };
    expect((await tryMove(moved)).said).toContain("Nothing was moved. Kept already runs");
    await old.end("SIGINT");
    expect(await tryMove(moved)).toMatchObject({
      exitCode: 0,
      said: expect.stringContaining("same rows on both"),
    });
    expect((await tryMove(moved)).said).toContain("is not empty");
    const left = await startPostgres(instance.dataDir);
    const counts = await countRows(left.url);
    await left.stop();
    expect(await countRows(databaseUrl)).toEqual(counts);
    expect(Object.values(counts).filter((count) => count > 0).length).toBeGreaterThan(10);

    const run = await startKept(moved);
    afterAll(() => run.end("SIGINT"));
    expect((await call("GET", "/dashboard")).body).toEqual(shown);
    expect(await call("POST", "/todos", todo)).toMatchObject({ status: made.status, body: made.body });
    const next = await call("POST", "/todos", { body: { title: "New" } });
    expect(next.body.id).toBeGreaterThan(made.body.id + 1_200);
    expect((await call("GET", `/changes?cursor=${cursor}`)).status).toBe(422);
    expect(existsSync(join(instance.dataDir, "postgres/postmaster.pid"))).toBeFalse();
  },
);
