import { afterAll, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openDatabase } from "../../../shared/db/orm.ts";
import { archive, backup, disk } from "../../../shared/doctor/copies.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { createDatabase } from "../../harness.ts";
import { folderOfFile } from "../../support/folder.ts";

const dataDir = folderOfFile("copies");
const hourMs = 3_600_000;

/** Makes a file in DATA_DIR that is so old. */
function put(path: string, hours: number): void {
  const file = join(dataDir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "{}");
  const time = new Date(Date.now() - hours * hourMs);
  utimesSync(file, time, time);
}

const config = {
  ...{ databaseUrl: undefined, dataDir, backupDir: undefined, smtpUrl: undefined, mailFrom: "" },
  ...{ accountMegabytes: 200, queuePrefix: "kept", baseUrl: "" },
};
const database = await openDatabase({ url: await createDatabase(), log: createLog("test", "error") });
afterAll(() => database.close());
const patient = { config, isEmbedded: true, pool: database.pool };

const manifest = (day: string) => `backup/chain-2026-11-01/base/${day}/manifest.json`;
const spool = "postgres/kept_archive";

test("the newest whole backup counts: after two days it wants a look, after eight it is broken", async () => {
  expect(await backup(patient)).toMatchObject({ state: "look", says: "there is none" });
  put(manifest("2026-11-01"), 200);
  expect(await backup(patient)).toMatchObject({ state: "broken", says: "the newest is 8 days old" });
  put(manifest("2026-11-04"), 120);
  put(manifest("2026-11-06.unfinished"), 1);
  expect(await backup(patient)).toMatchObject({ state: "look", says: "the newest is 5 days old" });
  put(manifest("2026-11-05"), 3);
  expect(await backup(patient)).toMatchObject({
    state: "look",
    says: "the newest is 3 h old, on the disk of the data",
  });
  const disk = existsSync("/dev/shm") ? mkdtempSync("/dev/shm/kept-") : dataDir;
  afterAll(() => rmSync(disk, { recursive: true, force: true }));
  cpSync(join(dataDir, "backup"), disk, { recursive: true });
  const apart = { ...patient, config: { ...config, backupDir: disk } };
  expect(await backup(apart)).toMatchObject({ state: disk === dataDir ? "look" : "ok" });
});

test("log that waits for the folder of backups is late, and an archive that was given up is broken", async () => {
  expect(await archive(patient)).toMatchObject({
    state: "broken",
    says: expect.stringContaining("given up"),
  });
  put(`${spool}/destination`, 0);
  expect(await archive(patient)).toMatchObject({ state: "ok" });
  put(`${spool}/0000000100000000000000A1`, 0.1);
  expect(await archive(patient)).toMatchObject({
    state: "look",
    says: "changes reach the backups 360 s late",
  });
  put(`${spool}/0000000100000000000000A0`, 1);
  expect(await archive(patient)).toMatchObject({ state: "broken" });
});

test("backup and archive are broken where BACKUP_DIR cannot be used", async () => {
  put("file", 0);
  const unusable = { ...patient, config: { ...config, backupDir: join(dataDir, "file") } };
  const diagnosis = { state: "broken", says: expect.stringContaining("ENOTDIR") };
  expect(await backup(unusable)).toMatchObject(diagnosis);
  expect(await archive(unusable)).toMatchObject(diagnosis);
});

test("the room on the disk is that of the fullest folder", async () => {
  expect((await disk(patient)).says).toMatch(/^\d+ MB free at /);
  const elsewhere = { ...patient, config: { ...config, dataDir: "/nowhere" } };
  expect(await disk(elsewhere)).toEqual({ state: "ok", says: "no folder of Kept on this machine" });
});
