import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { hasDebianPostgres, startDebianPostgres } from "../../service/deploy/debian-postgres.ts";
import {
  environmentOf,
  type Instance,
  type Run,
  sharedParent,
  startCommand,
} from "../../service/embedded/instance.ts";
import { callDoors } from "../../support/chaos/world.ts";
import { writeUntil } from "../../support/chaos/writer.ts";
import { commandBlocks, commandLines } from "../../support/documented.ts";
import { smallMigrations } from "../../support/small-migrations.ts";
import { readManifest, root } from "../supply-chain/packages.ts";
import { pack } from "./build.ts";

const folder = await sharedParent();
const place: Instance = {
  dataDir: join(folder, "data"),
  port: await freePort(),
  env: {
    BACKUP_DIR: join(folder, "other-disk"),
    RATE_LIMIT_PER_MINUTE: "0",
    npm_config_prefer_offline: "true",
    npm_config_loglevel: "error",
    npm_config_cache: (await $`npm config get cache`.text()).trim(),
  },
};

/** A documented command, as it is typed where Kept came from its archive. */
async function documentedLine(page: string, part: string): Promise<string> {
  const lines = (await commandBlocks(page)).flatMap(commandLines);
  const line = lines.find((one) => one.includes(part));
  if (!line) throw new Error(`${page} has no ${part}.`);
  return line.replace(/^kept-admin/, "npx kept").replace(/^npm run (\w+)(?: --)?/, "npx kept $1");
}

const type = (command: string, own: Record<string, string | undefined> = environmentOf(place)) =>
  $`bash -ec ${command}`.cwd(folder).env(own).text();

async function start(line: string, env: Record<string, string> = {}): Promise<Run> {
  const run = startCommand({ ...place, env: { ...place.env, ...env } }, ["setsid", "bash", "-ec", line], {
    cwd: folder,
  });
  await run.printed("Try it:");
  return run;
}

async function stop(run: Run): Promise<void> {
  process.kill(-run.pid, "SIGINT");
  await run.exited;
}

/** The archive of a line such as `npm install ./kept-0.1.0.tgz`. */
const archiveIn = (line: string): string => join(folder, /kept-\S+\.tgz/.exec(line)?.[0] ?? "");

/** Packs the same service as the next version, with a migration of each kind; it still uses the table of browsers. */
async function packNext(archive: string, target: string): Promise<void> {
  const work = join(folder, "next");
  mkdirSync(work);
  await $`tar -xzf ${archive}`.cwd(work);
  const change = async (name: string, from: string, to: string, source = join(work, "package", name)) =>
    Bun.write(join(work, "package", name), (await Bun.file(source).text()).replaceAll(from, to));
  for (const name of ["package.json", "npm-shrinkwrap.json"])
    await change(name, `"version": "${readManifest().version}"`, '"version": "0.2.0"');
  const small = "shared/db/small.ts";
  await change(small, "../../shared/db/", "./", join(root, "test/support/small-migrations.ts"));
  await change(small, 'this.addSql("drop table push_subscriptions");', "");
  const list = "shared/db/migrations/index.ts";
  await change(list, "class: FirstSchema }", "class: FirstSchema }, ...smallMigrations");
  await change(list, "import type { Migration }", 'import { smallMigrations } from "../small.ts";\n$&');
  await $`npm pack --silent --pack-destination ${folder}`.cwd(join(work, "package")).quiet();
  renameSync(join(folder, "kept-0.2.0.tgz"), target);
}

test.skipIf(!hasDebianPostgres)(
  "an installation lives by the documents: backup, upgrade under load, lost disk, restore, move to Debian's PostgreSQL",
  async () => {
    const [install = "", upgrade = ""] = (await commandBlocks("README.md"))
      .flatMap(commandLines)
      .filter((line) => line.includes(".tgz"));
    renameSync(await pack(join(folder, "release")), archiveIn(install));
    let run = await start(install);
    afterAll(() => run.end("SIGTERM"));
    const token = () => readFileSync(join(place.dataDir, "owner-token"), "utf8").trim();
    const call = callDoors([`http://localhost:${place.port}`], token());
    const stored = async () => (await call("GET", "/dashboard")).body.stats.pending_todos;
    let isOver = false;
    const writing = writeUntil(call, 0, () => isOver);
    expect(await type(await documentedLine("docs/backup.md", "npm run backup"))).toContain("Backed up in");

    await packNext(archiveIn(install), archiveIn(upgrade));
    expect(await type(await documentedLine("README.md", "npx kept backup"))).toContain("Backed up in");
    await stop(run);
    run = await start(upgrade);
    const { version } = await Bun.file(join(folder, "node_modules/kept/package.json")).json();
    expect(version).toBe("0.2.0");
    for (const { name } of smallMigrations) expect(run.output()).toContain(name);
    isOver = true;
    const { created, toggled, wrong } = await writing;
    // The writer's own todo is pending after every second toggle.
    const pending = created.length + (toggled.length % 2 === 0 ? 1 : 0);
    expect(wrong).toEqual([]);
    expect(created.length).toBeGreaterThan(20);
    expect(await stored()).toBe(pending);

    await stop(run);
    rmSync(place.dataDir, { recursive: true });
    const restore = (await documentedLine("docs/backup.md", "--to")).replace(/ --to ".*"/, "");
    expect(await type(restore)).toContain("Restored in");
    run = await start("npx kept");
    expect(await stored()).toBe(pending);
    await stop(run);

    const server = await startDebianPostgres();
    afterAll(server.stop);
    const role = await documentedLine("docs/server.md", "create role kept");
    await type(`password=secret; ${role.replace("runuser -u postgres -- ", "")}`, {
      ...process.env,
      ...server.env,
    });
    const { PGHOST, PGPORT } = server.env;
    const there = { DATABASE_URL: `postgres://kept:secret@${PGHOST}:${PGPORT}/kept` };
    const move = await documentedLine("docs/server.md", "kept-admin move");
    expect(await type(move, { ...environmentOf(place), ...there })).toContain("same rows on both sides");
    run = await start("npx kept", there);
    expect(await stored()).toBe(pending);
    await stop(run);
  },
);
