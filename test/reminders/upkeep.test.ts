import { afterAll, expect, test } from "bun:test";
import { openDatabase } from "../../shared/db/orm.ts";
import { createLog } from "../../shared/log.ts";
import { prune } from "../../workers/upkeep.ts";
import { createDatabase } from "../harness.ts";

const database = await openDatabase({
  url: await createDatabase(),
  log: createLog("test", "error"),
  purpose: "writes",
});
const { pool } = database;
afterAll(() => database.close());

const now = Date.parse("2026-11-21T12:00:00Z");

async function ages(table: string): Promise<string[]> {
  const { rows } = await pool.query(`select created_at::text as at from ${table} order by 1`);
  return rows.map(({ at }) => at);
}

test("replies are kept for 24 hours, deliveries for 30 days, more than one batch at a time", async () => {
  await pool.query(`
    insert into inbox (user_id, command_id, fingerprint, reply, created_at)
    select 'ada', gen_random_uuid(), '', '{}', at
    from unnest(array['2026-11-20 11:59:59+00', '2026-11-20 12:00:01+00']::timestamptz[]) at,
      generate_series(1, 60000) n
    where n = 1 or at < '2026-11-20 12:00:00+00'`);
  await pool.query(`
    insert into reminder_deliveries
      (user_id, id, status, attempts, late, scheduled_at, next_attempt_at, created_at, finished_at)
    select 'ada', gen_random_uuid(), 'sent', 1, false, at, at, at, at
    from unnest(array['2026-10-22 11:59:59+00', '2026-10-22 12:00:01+00']::timestamptz[]) at`);
  expect(await prune(pool, now)).toBe(60_001);
  expect(await ages("inbox")).toEqual(["2026-11-20 12:00:01+00"]);
  expect(await ages("reminder_deliveries")).toEqual(["2026-10-22 12:00:01+00"]);
  expect(await prune(pool, now)).toBe(0);
});
