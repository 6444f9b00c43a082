import { afterAll, expect, test } from "bun:test";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Pool } from "pg";
import { demandWrites } from "../../../shared/db/schema-guard.ts";
import { startPostgres } from "../../../shared/embedded/servers/postgres.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/reminder/stack.ts";

const disk = temporaryFolder("disk");
const isMounted = (await Bun.$`mount -t tmpfs -o size=150m tmpfs ${disk}`.nothrow().quiet()).exitCode === 0;
if (!isMounted) console.log("SKIPPED: a full disk, because this user may not mount one");
afterAll(async () => {
  if (isMounted) await Bun.$`umount --lazy ${disk}`;
  rmSync(disk, { recursive: true });
});

test.skipIf(!isMounted)("PostgreSQL on a full disk takes no changes until there is room", async () => {
  const postgres = await startPostgres(join(disk, "data"), undefined, { settings: { archive_mode: "off" } });
  // A connection that ends with the server says so.
  const pool = new Pool({ connectionString: postgres.url }).on("error", () => {});
  await demandWrites(pool);
  const ballast = join(disk, "ballast");
  // A checkpoint may give room back meanwhile.
  const refusal = await eventually(() => {
    fill(ballast);
    return demandWrites(pool).then(() => undefined, String);
  });
  expect(refusal).toContain("No space left on device");
  rmSync(ballast);
  await demandWrites(pool);
  await pool.end();
  await postgres.stop();
});

function fill(path: string): void {
  const file = openSync(path, "a");
  try {
    for (;;) writeSync(file, Buffer.alloc(4_096));
  } catch {
    closeSync(file);
  }
}
