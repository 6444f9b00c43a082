import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Pool } from "pg";
import { type Database, openDatabase } from "../../../shared/db/orm.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import {
  advanceClock,
  dropPartitions,
  keptFor,
  makePartitions,
  pruneDeliveries,
  pruneImports,
  runSteps,
} from "../../../workers/upkeep/upkeep.ts";
import { createDatabase } from "../../harness.ts";

const log = createLog("test", "error");
let database: Database;
let pool: Pool;
// Each test has a database of its own, because they move to different times.
beforeEach(async () => {
  database = await openDatabase({ url: await createDatabase(), log, purpose: "writes" });
  pool = database.pool;
});
afterEach(() => database.close());

const kept = keptFor(400);
const keyed = kept.filter(({ kind }) => kind !== "keyless");
const images = kept.filter(({ table }) => table === "action_images");

async function upkeep(travel: string, parts = kept): Promise<void> {
  await makePartitions(pool, parts, travel);
  await dropPartitions(database, log, parts, travel);
}

/** Writes a reply and a logged call, dated as if the present were shifted by this interval. */
async function write(travel: string, kinds = [true, false]): Promise<void> {
  await pool.query(
    `insert into inbox (user_id, command_id, fingerprint, reply, keyed, created_at)
     select 'ada', gen_random_uuid(), '', '{}', keyed, now() + $1::interval from unnest($2::boolean[]) keyed`,
    [travel, kinds],
  );
  await pool.query(
    `insert into action_log (user_id, request_id, token_id, tool, arguments, outcome, replayed, called_at, duration_ms)
     values ('ada', gen_random_uuid(), 't', 'x', '{}', 'ok', false, now() + $1::interval, 1)`,
    [travel],
  );
}

const writeImage = (travel: string) =>
  pool.query(
    `insert into action_images (user_id, called_at, request_id, before, after)
     values ('ada', now() + $1::interval, gen_random_uuid(), '{}', '{}')`,
    [travel],
  );

/** The ages of the remaining rows in hours, as if the present were shifted by this interval. */
async function agesOf(table: string, time: string, travel: string): Promise<number[]> {
  const { rows } = await pool.query<{ age: number }>(
    `select (extract(epoch from now() + $1::interval - ${time}) / 3600)::float8 as age from ${table} order by 1`,
    [travel],
  );
  return rows.map(({ age }) => age);
}

const between = (values: number[], least: number, most: number) => {
  expect(Math.max(...values)).toBeGreaterThan(least);
  expect(Math.max(...values)).toBeLessThan(most);
};

test("replies with a key stay 24 to 36 hours, at every moment of two days", async () => {
  for (let minutes = 0; minutes <= 48 * 60; minutes += 60) {
    const travel = `${minutes} minutes`;
    await makePartitions(pool, keyed, travel);
    await write(travel, [true]);
    if (minutes < 40 * 60) continue;
    await dropPartitions(database, log, keyed, travel);
    between(await agesOf("inbox where keyed", "created_at", travel), 22.9, 36.6);
  }
  const { rows } = await pool.query("select count(*)::int as count from list_partitions('inbox')");
  expect(rows[0].count).toBeLessThan(16);
});

test("replies without a key stay 10 to 20 minutes in partitions without write-ahead log", async () => {
  // Earlier times have longer partitions, made by the migration.
  for (let minutes = 160; minutes <= 280; minutes += 4) {
    const travel = `${minutes} minutes`;
    await makePartitions(pool, kept, travel);
    await write(travel);
    if (minutes < 200) continue;
    await dropPartitions(database, log, kept, travel);
    between(await agesOf("inbox where not keyed", "created_at", travel), 0.09, 0.37);
  }
  const { rows } = await pool.query<{ kind: string; relpersistence: string }>(
    `select distinct kind, relpersistence from list_partitions('inbox') join pg_class on relname = name order by 1`,
  );
  expect(rows).toEqual([
    { kind: "keyed", relpersistence: "p" },
    { kind: "keyless", relpersistence: "u" },
  ]);
});

test("images of actions stay 30 to 31 days", async () => {
  for (let days = 0; days <= 40; days++) {
    const travel = `${days} days`;
    await upkeep(travel, images);
    await writeImage(travel);
  }
  between(await agesOf("action_images", "called_at", "40 days"), 24 * 29.9, 24 * 31.1);
});

test("the log stays 400 to 431 days, by whole months; a service that was off for a year goes on", async () => {
  for (let months = 0; months <= 30; months++) {
    const travel = `${months} months`;
    if (months > 3 && months < 10) continue;
    await upkeep(travel);
    await write(travel);
  }
  between(await agesOf("action_log", "called_at", "30 months"), 24 * 378, 24 * 431);
});

test("what a clock far ahead calls old goes only when that clock has run for long", async () => {
  await makePartitions(pool, kept, "-60 days");
  await write("-60 days");
  await writeImage("-60 days");
  await pool.query("update upkeep_clock set reached = now() - interval '60 days', last_run_at = reached");
  const runs = async (count: number) => {
    for (let run = 0; run < count; run++) {
      await pool.query("update upkeep_clock set last_run_at = now() - interval '1 minute'");
      await dropPartitions(database, log, kept, (await advanceClock(pool)).behind);
    }
    return [
      (await agesOf("inbox where keyed", "created_at", "0")).length,
      (await agesOf("action_images", "called_at", "0")).length,
    ];
  };
  expect(await runs(60)).toEqual([1, 1]);
  expect(await runs(60)).toEqual([0, 1]);
  await pool.query("update upkeep_clock set reached = now() - interval '1 hour'");
  expect(await runs(5)).toEqual([0, 0]);
  await pool.query(
    "update upkeep_clock set reached = now() + interval '1 day', last_run_at = now() + interval '1 day'",
  );
  expect(await advanceClock(pool)).toEqual({ behind: "00:00:00", was_set_back: true });
});

test("a reader that holds the tables open does not make upkeep stop the writers, and is waited for", async () => {
  await upkeep("0");
  const names = async () =>
    (await pool.query("select name from list_partitions('inbox')")).rows.map(({ name }) => name);
  const old = await names();
  const reader = await pool.connect();
  // Else PostgreSQL ends it after two seconds, which upkeep may take on a busy machine.
  await reader.query("begin; set local idle_in_transaction_session_timeout = 0");
  await reader.query("select count(*) from inbox");
  // Rows of that time need their partitions first.
  await makePartitions(pool, kept, "26 hours");
  let isOver = false;
  const upkeeps = upkeep("26 hours").finally(() => {
    isOver = true;
  });
  // Writes go on, because the reader commits only after them.
  while (!isOver) await write("26 hours");
  await upkeeps;
  const { rows } = await reader.query("select count(*)::int as count from inbox where keyed");
  expect(rows).toHaveLength(1);
  await reader.query("commit");
  reader.release();
  await upkeep("26 hours");
  const now = await names();
  expect(now.filter((name) => name.includes("keyless") && old.includes(name))).toEqual([]);
});

test("deliveries stay 30 days, also when one statement does not take them all", async () => {
  await pool.query(`
    insert into reminder_deliveries
      (user_id, id, status, attempts, late, scheduled_at, next_attempt_at, created_at, finished_at)
    select 'ada', gen_random_uuid(), 'sent', 1, false, at, at, at, at
    from unnest(array[now() - interval '30 days 1 second', now() - interval '29 days']) at,
      generate_series(1, 12000) n
    where n = 1 or at < now() - interval '30 days'`);
  expect(await pruneDeliveries(database)).toBe(12_000);
  expect(await agesOf("reminder_deliveries", "created_at", "0")).toHaveLength(1);
  expect(await pruneDeliveries(database)).toBe(0);
});

test("parts of files are forgotten after a day in several statements, beside one that is being taken", async () => {
  await pool.query(`
    insert into import_parts (user_id, part, import_id, kind, keys, content, created_at)
    select user_id, part, gen_random_uuid(), 'todos', '{}', '[]', now() - interval '25 hours'
    from unnest(array['ada', 'bob', 'eve']) user_id, generate_series(0, 99) part`);
  const taking = await pool.connect();
  await taking.query("begin");
  await taking.query("select from import_parts where user_id = 'ada' for update");
  expect(await pruneImports(database)).toBe(200);
  await taking.query("rollback");
  taking.release();
  expect(await pruneImports(database)).toBe(100);
});

test("a step of upkeep that fails is told, and keeps none of the others from running", async () => {
  const done: string[] = [];
  const steps = {
    first: () => pool.query("select from nowhere"),
    second: async () => done.push("second"),
    third: () => pool.query("select 1 / 0"),
  };
  await expect(runSteps(steps)).rejects.toThrow(/^first: .*nowhere.*; third: .*zero/);
  expect(done).toEqual(["second"]);
});
