import { expect, test } from "bun:test";
import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import {
  archiveOf,
  segmentFile,
  startBackedUpPostgres,
} from "../../../shared/embedded/backup/wal-archive.ts";
import { startPostgres } from "../../../shared/embedded/servers/postgres.ts";
import { runningDatabase } from "../../../shared/process/running-database.ts";
import { migrate } from "../../../workers/upkeep/migrate.ts";
import { type Call, callDoors } from "../../support/chaos/world.ts";
import { commandBlocks, commandLines } from "../../support/documented.ts";
import { signal } from "../../support/servers/signal.ts";
import {
  environmentOf,
  type Instance,
  newInstance,
  processesOf,
  type Run,
  root,
  sharedParent,
  startKept,
  within,
} from "./instance.ts";

const parent = await sharedParent();
const now = () => Temporal.Now.instant().toString({ fractionalSecondDigits: 6 });

/** The commands on the page: a backup, the list, and a restore. */
const [block] = await commandBlocks("docs/backup.md");
const [backUp = "", list = "", restore = ""] = block ? commandLines(block) : [];
const typed = (instance: Instance, command: string) => runIn(instance, ["bash", "-ec", command]);

/** Runs the same scripts without npm, which takes longer than a refusal. */
const direct = (instance: Instance, script: string, ...args: string[]) =>
  runIn(instance, [process.execPath, `shared/embedded/backup/${script}.ts`, ...args]);

async function runIn(instance: Instance, command: string[]): Promise<{ code: number; said: string }> {
  const child = Bun.spawn(command, {
    cwd: root,
    env: environmentOf(instance),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, complaint, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, said: out + complaint };
}

async function killAll(instance: Instance): Promise<void> {
  for (const pid of processesOf(instance).keys()) signal(pid, "SIGKILL");
  await within(5, () => processesOf(instance).size === 0);
}

const callOf = async ({ dataDir, port }: Instance): Promise<Call> =>
  callDoors([`http://localhost:${port}`], (await Bun.file(join(dataDir, "owner-token")).text()).trim());

type Noted = Readonly<{ title: string; id: number }>;

/** Twelve clients that write, and the known state of each write at a recorded moment. */
function startWriting(call: Call) {
  const acknowledged = { before: [] as Noted[], after: [] as Noted[] };
  const wrong: number[] = [];
  let moment: string | undefined;
  let over = false;
  const writers = Array.from({ length: 12 }, async () => {
    while (!over) {
      const title = crypto.randomUUID();
      const begunAfter = moment !== undefined;
      let answer = await call("POST", "/todos", { key: title, body: { title } });
      while (answer.status === 503) answer = await call("POST", "/todos", { key: title, body: { title } });
      if (answer.status !== 201) wrong.push(answer.status);
      else if (moment === undefined) acknowledged.before.push({ title, id: answer.body.id });
      else if (begunAfter) acknowledged.after.push({ title, id: answer.body.id });
    }
  });
  return {
    acknowledged,
    wrong,
    note() {
      moment = now();
      return moment;
    },
    async stop() {
      over = true;
      await Promise.all(writers);
    },
  };
}

async function titlesAt(url: string): Promise<Set<string>> {
  const sql = new SQL(url, { max: 1 });
  const rows: { title: string }[] = await sql`select title from todos`.finally(() => sql.close());
  return new Set(rows.map(({ title }) => title));
}

const env = { RATE_LIMIT_PER_MINUTE: "0" };
const instance = await newInstance(parent, env);
let run: Run;
let call: Call;
let lost: readonly Noted[] = [];
let endOfLost = "";

test("a restore has everything acknowledged before the moment and nothing after it", async () => {
  expect((await direct(instance, "backup")).said).toContain("There is no new backup. Kept is not running");
  run = await startKept(instance);
  call = await callOf(instance);
  expect((await direct(instance, "restore")).said).toContain("Nothing was restored. Kept already runs");
  const writing = startWriting(call);
  const beforeAny = now();
  expect(await typed(instance, backUp)).toMatchObject({
    code: 0,
    said: expect.stringContaining("Backed up in"),
  });
  const reminded = await call("POST", "/todos", { body: { title: "reminded" } });
  const cursors = [(await call("GET", "/changes")).body.next_cursor];
  const reminder = `/todos/${reminded.body.id}/reminder`;
  await call("PUT", reminder, { body: { remind_at: new Date(Date.now() + 2_500).toISOString() } });
  const moment = writing.note();
  await within(20, async () => (await call("GET", reminder)).body.status === "unsent");
  await within(20, () => writing.acknowledged.after.length > 50);
  cursors.push((await call("GET", "/changes")).body.next_cursor);
  await writing.stop();
  endOfLost = now();
  await killAll(instance);

  expect((await direct(instance, "restore", "--to", "2999-01-01T00:00Z")).said).toContain(
    "lies in the future",
  );
  expect((await direct(instance, "restore", "--to", beforeAny)).said).toContain("nothing from before it");
  const restored = await typed(instance, restore.replace(/"2026.*"/, `"${moment}"`));
  expect(restored).toMatchObject({ code: 0, said: expect.stringContaining("1 reminder") });

  run = await startKept(instance);
  const { before, after } = writing.acknowledged;
  lost = after;
  const titles = await titlesAt(await runningDatabase({ dataDir: instance.dataDir, databaseUrl: undefined }));
  expect(writing.wrong).toEqual([]);
  expect(before.length).toBeGreaterThan(50);
  expect(before.filter(({ title }) => !titles.has(title))).toEqual([]);
  expect(after.filter(({ title }) => titles.has(title))).toEqual([]);
  expect((await call("GET", reminder)).body.status).toBe("missed");
  for (const cursor of cursors) expect((await call("GET", `/changes?cursor=${cursor}`)).status).toBe(422);

  for (const { title, id } of before.slice(-20)) {
    const again = await call("POST", "/todos", { key: title, body: { title } });
    expect([again.status, again.body.id]).toEqual([201, id]);
  }
  const old = new Set([...before, ...after].map(({ id }) => id));
  for (const { title } of after.slice(-20)) {
    const anew = await call("POST", "/todos", { key: title, body: { title } });
    expect([anew.status, old.has(anew.body.id)]).toEqual([201, false]);
  }
  expect(run.output()).not.toContain("backup ");
});

test("what a restore has taken away can be had again, elsewhere", async () => {
  const backupDir = join(instance.dataDir, "backup");
  const elsewhere = await newInstance(parent, { BACKUP_DIR: backupDir });
  const listed = async () => (await direct(instance, "restore", "--list")).said;
  const known = await listed();
  const { said } = await direct(elsewhere, "restore", "--to", endOfLost);
  expect(said).toContain("Restored in");
  // Without this, the newest backup would be one of the copy.
  expect(await listed()).toBe(known);
  const { url, stop } = await startPostgres(elsewhere.dataDir);
  const titles = await titlesAt(url);
  await stop();
  expect(lost.filter(({ title }) => !titles.has(title))).toEqual([]);
});

test("a drill restores beside the running Kept and leaves nothing, a backup that was killed is none, and older ones go", async () => {
  const backups = async () => (await direct(instance, "restore", "--list")).said.trim().split("\n");
  const known = await backups();
  expect(await direct(instance, "restore", "--drill")).toMatchObject({
    code: 0,
    said: expect.stringContaining("The backup is good"),
  });
  expect([await backups(), readdirSync(instance.dataDir).includes("drill")]).toEqual([known, false]);
  const edit = (change: string) =>
    Bun.spawnSync([
      "sh",
      "-c",
      `find ${instance.dataDir}/backup -name manifest.json | xargs sed -i '${change}'`,
    ]);
  edit(String.raw`s#"files":\[#&["../../outside",1],#`);
  expect((await direct(instance, "restore", "--drill")).said).toContain("../../outside lies outside");
  edit(String.raw`s#\["../../outside",1\],##`);
  const killed = Bun.spawn([process.execPath, join(root, "shared/embedded/backup/backup.ts")], {
    env: environmentOf(instance),
    stdio: ["ignore", "ignore", "ignore"],
  });
  const files = () => readdirSync(join(instance.dataDir, "backup"), { recursive: true }).map(String);
  await within(20, () => files().some((file) => file.includes(".unfinished/cluster/global/")));
  killed.kill("SIGKILL");
  await killed.exited;
  expect((await typed(instance, list)).said.trimEnd()).toEndWith(known.join("\n"));
  expect((await direct(instance, "backup", "--keep", "1")).said).toContain("Removed ");
  expect(await backups()).toHaveLength(1);
  const open = files().filter(
    (file) => (statSync(join(instance.dataDir, "backup", file)).mode & 0o077) !== 0,
  );
  expect(open).toEqual(["backup.lock"]);
  expect(files().filter((file) => file.includes(".unfinished"))).toEqual([]);
  await run.end("SIGINT");
});

test("a backup folder that is away is told of and stops no change, and is given up before the disk is full", async () => {
  const backupDir = join(instance.dataDir, "backup");
  const lines: string[] = [];
  const start = () => startBackedUpPostgres(instance.dataDir, (line) => lines.push(line));
  const told = (text: string) => within(10, () => lines.some((line) => line.includes(text)));
  let postgres = await start();
  let sql = new SQL(postgres.url, { max: 1 });
  await sql`create table notes (text text)`;
  renameSync(backupDir, `${backupDir}.away`);
  await sql`insert into notes values ('while it is away')`;
  await sql`select pg_switch_wal()`;
  await told("changes go on, but are in no backup");
  await sql`insert into notes values ('still away')`;
  renameSync(`${backupDir}.away`, backupDir);
  await told("no change is missing in the backup");
  await sql.close();
  await postgres.stop();
  expect((await direct(instance, "restore")).said).toContain("Restored in");

  postgres = await start();
  sql = new SQL(postgres.url, { max: 1 });
  renameSync(backupDir, `${backupDir}.away`);
  for (let number = 10; number < 80; number++)
    writeFileSync(join(instance.dataDir, "postgres/kept_archive", `0000000F${"0".repeat(14)}${number}`), "");
  await told("given up: changes from now on are in no backup");
  await sql`insert into notes values ('without a backup')`;
  expect((await sql`select text from notes`).length).toBe(3);
  await sql.close();
  await postgres.stop();
});

test("after a start and after a crash the log goes on in time, and a lost disk costs no more", async () => {
  const origin = await newInstance(parent);
  const start = () => startBackedUpPostgres(origin.dataDir);
  let postgres = await start();
  await migrate(postgres.url, "error");
  expect((await direct(origin, "backup")).said).toContain("Backed up in");
  const admin = new SQL(postgres.url, { max: 1 });
  await admin`create table notes (text text)`;
  await admin`alter system set archive_timeout = '1s'`;
  await admin.close();
  await postgres.stop();
  postgres = await start();

  const archive = archiveOf(join(origin.dataDir, "postgres"));
  const noted = async (text: string) => {
    const sql = new SQL(postgres.url, { max: 1 });
    await sql`insert into notes values (${text})`;
    const [{ segment }] = await sql`select pg_walfile_name(pg_current_wal_insert_lsn()) as segment`;
    await sql.close();
    await within(10, () => archive && existsSync(segmentFile(archive, segment)));
  };
  await noted("after a start");
  const pid = Number.parseInt(await Bun.file(join(origin.dataDir, "postgres/postmaster.pid")).text(), 10);
  process.kill(pid, "SIGKILL");
  await within(20, () => titlesAt(postgres.url));
  await noted("after a crash");

  const elsewhere = await newInstance(parent, { BACKUP_DIR: join(origin.dataDir, "backup") });
  expect((await direct(elsewhere, "restore")).said).toContain("Restored in");
  await postgres.stop();
  const copy = await startPostgres(elsewhere.dataDir);
  const sql = new SQL(copy.url, { max: 1 });
  expect([...(await sql`select text from notes`)].map(({ text }) => text)).toEqual([
    "after a start",
    "after a crash",
  ]);
  await sql.close();
  await copy.stop();
});
