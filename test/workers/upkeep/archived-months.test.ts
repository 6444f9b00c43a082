import { expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../../shared/db/orm.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { archiveMonths } from "../../../workers/upkeep/archived-months.ts";
import { keptFor, makePartitions } from "../../../workers/upkeep/upkeep.ts";
import { createDatabase } from "../../harness.ts";
import { temporaryFolder } from "../../support/folder.ts";

test("months of the log become files, an interrupted one as well, while a reader holds the log open", async () => {
  const folder = temporaryFolder("log");
  const database = await openDatabase({
    url: await createDatabase(),
    log: createLog("test", "error"),
    purpose: "migrations",
  });
  const { pool } = database;
  for (const travel of ["0", "2 months", "4 months"]) await makePartitions(pool, keptFor(400), travel);
  const { rows: partitions } = await pool.query<{ name: string; upper: Date }>(
    "select name, upper from list_partitions('action_log') order by upper",
  );
  await pool.query(
    `insert into action_log (user_id, request_id, token_id, tool, arguments, outcome, replayed, called_at, duration_ms)
     select 'ada', gen_random_uuid(), 't', 'tool-' || n, '{}', 'ok', false, upper - interval '1 day', 1
     from list_partitions('action_log'), generate_series(1, 6000) n`,
  );
  const [first, second, third] = partitions;
  if (!first || !second || !third) throw new Error("There are too few partitions.");
  await pool.query(`alter table action_log detach partition ${first.name} concurrently`);
  const reader = await pool.connect();
  await reader.query("begin");
  await reader.query("select count(*) from action_log");
  const archiving = archiveMonths(pool, folder, third.name.slice("action_log_all_".length).slice(0, 6));
  await Bun.sleep(200);
  // Readers and writers need not wait meanwhile.
  await pool.query("set lock_timeout = '100ms'; select count(*) from action_log; reset lock_timeout");
  await reader.query("commit");
  reader.release();
  expect(await archiving).toEqual([first, second].map(({ name }) => join(folder, `${name}.jsonl.zst`)));
  for (const { name } of [first, second]) {
    const file = await Bun.zstdDecompress(readFileSync(join(folder, `${name}.jsonl.zst`)));
    const rows = new TextDecoder()
      .decode(file)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows).toHaveLength(6_000);
    expect(new Set(rows.map(({ tool }) => tool)).size).toBe(6_000);
  }
  const { rows } = await pool.query("select count(*)::int as count from action_log");
  expect(rows).toEqual([{ count: 6_000 * (partitions.length - 2) }]);
  await database.close();
  rmSync(folder, { recursive: true });
});
